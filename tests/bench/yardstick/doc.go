// Package yardstick holds what approvald's benchmarks are measured against, and how they measure:
// the least that makes the same bytes durable, and the least that answers the same requests.
//
// A figure of approvald alone says little on a shared machine. Its ratio to a yardstick that ran
// beside it, a moment before or after, says much more (perf §9). So a yardstick does what
// approvald must do as well, the same bytes with the same number of callers, and nothing else.
package yardstick
