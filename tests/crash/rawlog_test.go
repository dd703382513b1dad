package crash

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"

	bolt "go.etcd.io/bbolt"

	"github.com/approvald/approvald/wire"
)

// entry is one record as it lies in the file. It is read here from the layout
// that the design gives, and not by the code of the daemon: a twin that shares
// its reader with what it judges has its faults as well.
type entry struct {
	seq      uint64
	kind     kind
	atMs     int64
	session  string // "" for the daemon's own ledger
	approval string // "" where it is about none
	command  string // "" where no client's command caused it
	prev     uint64
	chain    [16]byte // what it says of the record before it
	link     [16]byte // what the record after it must say
	torn     bool     // its checksum does not hold
	text     string   // the JSON
	raw      []byte
	body     body
}

type kind byte

const (
	sessionStarted   kind = 1
	modeSet          kind = 2
	approvalOpened   kind = 3
	stageSettled     kind = 4
	approvalSettled  kind = 5
	grantAdded       kind = 6
	sessionClosed    kind = 7
	recovered        kind = 8
	commandSettled   kind = 9
	grantRevoked     kind = 10
	policyPersisted  kind = 11
	approvalConsumed kind = 12
	permitVoided     kind = 13
	catalogOpened    kind = 16
	catalogChanged   kind = 17
	catalogClosed    kind = 18
	turnEnded        kind = 19
	inputOpened      kind = 20
	inputSettled     kind = 22
	turnStarted      kind = 23
)

func (k kind) String() string {
	names := []string{
		"", "sessionStarted", "modeSet", "approvalOpened", "stageSettled", "approvalSettled", "grantAdded", "sessionClosed",
		"recovered", "commandSettled", "grantRevoked", "policyPersisted", "approvalConsumed", "permitVoided",
		"", "", "catalogOpened", "catalogChanged", "catalogClosed", "turnEnded", "inputOpened", "", "inputSettled", "turnStarted",
	}
	if int(k) < len(names) && names[k] != "" {
		return names[k]
	}
	return "unknown"
}

// body are the members, of all kinds, that the twin goes by.
type body struct {
	Mode   string `json:"mode"`
	Parent string `json:"parent"`

	ToolCallID       string          `json:"toolCallId"`
	ToolName         string          `json:"toolName"`
	RawArgs          string          `json:"rawArgs"`
	ArgsDigest       string          `json:"argsDigest"`
	TurnID           string          `json:"turnId"`
	TaskID           string          `json:"taskId"`
	ItemID           string          `json:"itemId"`
	ParentToolCallID string          `json:"parentToolCallId"`
	RunID            string          `json:"runId"`
	Reason           string          `json:"reason"` // of a permit that was made void as well
	Justification    string          `json:"justification"`
	Operation        json.RawMessage `json:"operation"`
	Requested        bool            `json:"requested"`
	Unattended       string          `json:"unattended"`
	ExpiresAt        *int64          `json:"expiresAt"`
	Supersedes       *string         `json:"supersedes"`
	Protected        bool            `json:"protected"`
	Requirement      int             `json:"requirement"`

	Policy  struct{ Explanation string }                            `json:"policy"`
	Subject struct{ Path, ServerName, ToolName, ToolDigest string } `json:"subject"`

	Opened       uint64  `json:"opened"`
	Outcome      string  `json:"outcome"`
	Decision     string  `json:"decision"`
	PolicyResult string  `json:"policyResult"`
	ResolvedBy   string  `json:"resolvedBy"`
	Source       string  `json:"source"`
	Successor    *string `json:"successor"`
	Pending      int     `json:"pending"`
	Status       string  `json:"status"`
	GrantID      string  `json:"grantId"`
	Scope        string  `json:"scope"`

	CatalogID string                                 `json:"catalogId"` // of an approval as well; "" for none
	Tools     []wire.CatalogTool                     `json:"tools"`
	Grants    []string                               `json:"grants"` // that end with it
	Reach     struct{ Catalog, Tool, Digest string } `json:"reach"`

	Command *intake `json:"command"`
}

// intake is what the log keeps of a command: its answer.
type intake struct {
	Ack     json.RawMessage `json:"ack"`
	Refusal json.RawMessage `json:"refusal"`
}

func (i *intake) answer() string {
	if i.Ack != nil {
		return string(i.Ack)
	}
	return string(i.Refusal)
}

// readLog reads the file of a daemon that is gone. A first start that was cut
// short leaves no file, or one without a record.
func readLog(path string) (log []entry, err error) {
	if info, err := os.Stat(path); errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil, nil
	}
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.View(func(tx *bolt.Tx) error {
		records := tx.Bucket([]byte("log"))
		if records == nil {
			return nil
		}
		return records.ForEach(func(key, value []byte) error {
			e, err := readEntry(binary.BigEndian.Uint64(key), value)
			log = append(log, e)
			return err
		})
	})
	return log, err
}

const headerSize = 88

// readEntry reads 88 bytes of header (version, kind, flags, CRC-32C, time,
// session, approval, command, previous record of the session, link) and JSON.
func readEntry(seq uint64, value []byte) (entry, error) {
	if len(value) < headerSize {
		return entry{}, fmt.Errorf("record %d has %d bytes", seq, len(value))
	}
	sum := sha256.Sum256(value)
	e := entry{
		seq: seq, kind: kind(value[1]),
		atMs:    int64(binary.BigEndian.Uint64(value[8:])),
		session: uuid(value[16:32]), approval: uuid(value[32:48]), command: uuid(value[48:64]),
		prev: binary.BigEndian.Uint64(value[64:]), chain: [16]byte(value[72:88]), link: [16]byte(sum[:16]),
		text: string(value[headerSize:]), raw: bytes.Clone(value),
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	e.torn = crc32.Update(crc32.Update(0, table, value[:4]), table, value[8:]) != binary.BigEndian.Uint32(value[4:])
	if err := json.Unmarshal(value[headerSize:], &e.body); err != nil {
		return e, fmt.Errorf("record %d: %w", seq, err)
	}
	return e, nil
}

// uuid is the text of 16 bytes, "" for zeros. The load sends no ULIDs.
func uuid(b []byte) string {
	if bytes.Count(b, []byte{0}) == len(b) {
		return ""
	}
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
