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
	records     int
	recovered   int // approvals that a restart closed
	compared    int // successors that two daemons made of copies
}

func (n *counts) String() string {
	var s strings.Builder
	all := 0
	for _, acked := range n.acked {
		all += acked
	}
	fmt.Fprintf(&s, "%d rounds, %d kills: %d under load, %d during a start (%d of them when it was over, %d between two commits of it)\n",
		n.rounds, n.rounds+n.interrupted, n.rounds, n.interrupted, n.late, n.halves)
	var kinds []string
	for _, method := range slices.Sorted(maps.Keys(n.acked)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", method, n.acked[method]))
	}
	fmt.Fprintf(&s, "%d commands acknowledged: %s", all, strings.Join(kinds, ", "))
	fmt.Fprintf(&s, "\n%d in doubt at a kill, of which %d were in the log; %d sent again after a restart\n", n.doubt, n.done, n.repeated)
	fmt.Fprintf(&s, "%d records; %d approvals closed by a restart; %d successors compared between copies", n.records, n.recovered, n.compared)
	return s.String()
}
