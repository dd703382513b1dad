package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/wire"
)

// unkeepable refuses a subject that the log could not give back as what policy
// was asked about; nil for any other. Two kinds hold JSON of the agent's own: an
// unknown one might be read back as another kind, and the arguments of a tool
// nest one level deeper in the subject than on their own.
func unkeepable(s approval.Subject) *wire.Error {
	switch s := s.(type) {
	case approval.Unknown:
		back, err := approval.DecodeSubject(s.Raw)
		if u, ok := back.(approval.Unknown); err != nil || !ok || u.Name != s.Name {
			return invalidSubject("it is not of the kind that it was taken for")
		}
	case approval.Shell:
		if len(s.Stages) == 0 {
			return invalidSubject("its command was not split into stages")
		}
		return nil
	case approval.Tool:
	default:
		return nil
	}
	published, err := approval.EncodeSubject(s)
	if err != nil {
		return invalidSubject(err.Error())
	}
	if _, err := canon.Digest(published); err != nil {
		return invalidSubject(err.Error())
	}
	return nil
}

func invalidSubject(why string) *wire.Error {
	return wire.NewError(wire.CodeInvalidParams, "subject: "+why+".")
}

func mustEncodeSubject(s approval.Subject) []byte {
	b, err := approval.EncodeSubject(s)
	if err != nil {
		panic("decide: " + err.Error()) // unkeepable let it pass
	}
	return b
}

// mustEncodeFound writes what inspection learned; nil for nothing.
func mustEncodeFound(f approval.Found) []byte {
	if f.File == nil && f.Parts == nil && f.Image == nil && f.Refused == "" && !f.Protected {
		return nil
	}
	return encode(f)
}

// mustDigest digests a subject that was just encoded.
func mustDigest(subject []byte) string {
	digest, err := canon.Digest(subject)
	if err != nil {
		panic("decide: " + err.Error()) // unkeepable let it pass
	}
	return digest
}
