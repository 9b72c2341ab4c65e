// Package offers is the data source gpu_offers: what could be reserved now, at
// what price, and how likely it is to be had. It asks package capacity for each
// part by itself, so that one part which cannot be had leaves the others whole;
// it buys nothing and holds no rule about clouds.
package offers
