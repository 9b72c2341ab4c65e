// Package gpu knows accelerators as values: what a model is called, which
// family it belongs to, and how much of a device one instance holds. It does no
// I/O, reads no clock and knows no cloud.
package gpu
