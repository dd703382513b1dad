package main

import "github.com/approvald/approvald/internal/approval"

// causes are the ways in which an approval ends, in the order of the table.
var causes = []struct {
	cause string
	how   approval.Resolution
}{
	{"a reviewer allowed it once", approval.ByReviewerOnce},
	{"a reviewer allowed it for the session", approval.ByReviewerSession},
	{"a reviewer allowed it by a rule for the workspace", approval.ByReviewerRule},
	{"a reviewer rejected it", approval.ByReviewerAbort},
	{"a rule allows it", approval.ByRuleAllow},
	{"a grant of the session, or of one above it, covers it", approval.BySessionGrant},
	{"the mode allows it", approval.ByModeAllow},
	{"the mode of the tool allows it", approval.ByToolModeAllow},
	{"every stage is known to be safe", approval.ByBuiltinAllow},
	{"a rule denies it", approval.ByRuleDeny},
	{"the mode denies it", approval.ByModeDeny},
	{"it is never allowed", approval.ByBuiltinDeny},
	{"approval/cancel, or an agent that is gone (`cancelOnDisconnect`)", approval.ByAgentCancel},
	{"the end of its turn", approval.ByTurnEnd},
	{"session/close", approval.BySessionClose},
	{"its catalog was closed, or lists its tool otherwise or no more", approval.ByCatalog},
	{"its deadline passed", approval.ByDeadline},
	{"`unattended` is `refuse` and no interactive reviewer is there", approval.ByNobodyThere},
	{"the daemon was started again", approval.ByRestart},
}

// outcomes is the table of causes, with the words that approval/resolved has for each.
func outcomes() string {
	rows := [][]string{{"cause", "outcome", "decision", "policyResult", "resolvedBy", "source"}}
	for _, c := range causes {
		row := []string{c.cause}
		for _, word := range []string{string(c.how.Outcome), c.how.Decision, c.how.PolicyResult, c.how.ResolvedBy, c.how.Source} {
			row = append(row, "`"+word+"`")
		}
		rows = append(rows, row)
	}
	return table(rows...)
}
