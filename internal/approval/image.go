package approval

// Image is what a file was when it was looked at. Two images are of the same
// file in the same state exactly if they are equal.
type Image struct {
	// Digest is "sha256:" and 64 lower-case hex digits over the content; "" where
	// there is no file.
	Digest string       `json:"digest,omitempty"`
	File   FileIdentity `json:"file,omitzero"`
	// Parent is the nearest directory above that exists; it has neither size nor
	// time, since both change with what else is in it.
	Parent FileIdentity `json:"parent,omitzero"`
}

// Absent reports whether there was no file.
func (i Image) Absent() bool { return i.Digest == "" }

// FileIdentity tells a file from every other, also from one that takes its
// place under the same name. Zero: there is none, or the file system does not
// tell.
type FileIdentity struct {
	Device   uint64 `json:"device,omitempty"`
	Inode    uint64 `json:"inode,omitempty"`
	Size     int64  `json:"size,omitempty"`     // bytes
	Modified int64  `json:"modified,omitempty"` // nanoseconds since 1970, UTC
}
