// Package reservation is the Terraform type gpu_reservation: one native
// reservation of one cloud. It decodes, asks package capacity, and encodes; it
// holds no rule of its own about clouds. What one cloud adds to the schema is in
// the files named after it.
package reservation
