package crash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// counts are what a run prints of itself.
type counts struct {
	rounds      int            // kills under load
	interrupted int            // kills during a start
	late        int            // of those, after the daemon had come to listen
	halves      int            // of those, with some of what was pending recovered and some not
	acked       map[string]int // commands by method: answered, or found in the log
	doubt       int            // commands that were under way at a kill
	done        int            // of those, carried out
	repeated    int            // commands that were sent once more after a restart
	taken       int            // approvals that were taken after a restart to see whether they can be
	records     map[string]int // by kind
	recovered   int            // approvals that a restart closed
	compared    int            // successors that two daemons made of copies
}

func (n *counts) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d rounds, %d kills: %d under load, %d during a start (%d of them when it was over, %d between two commits of it)\n",
		n.rounds, n.rounds+n.interrupted, n.rounds, n.interrupted, n.late, n.halves)
	fmt.Fprintf(&s, "%s commands acknowledged or recorded as refused", list(n.acked))
	fmt.Fprintf(&s, "\n%d in doubt at a kill, of which %d were in the log; %d sent again after a restart\n", n.doubt, n.done, n.repeated)
	fmt.Fprintf(&s, "%s records\n", list(n.records))
	fmt.Fprintf(&s, "%d approvals closed by a restart; %d successors compared between copies; %d approvals taken to see whether they can be",
		n.recovered, n.compared, n.taken)
	return s.String()
}

// list is the sum of what was counted, and each count.
func list(of map[string]int) string {
	sum := 0
	var each []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		sum += of[name]
		each = append(each, fmt.Sprintf("%s %d", name, of[name]))
	}
	return fmt.Sprintf("%d (%s)", sum, strings.Join(each, ", "))
}
