package hook

import "fmt"

// Waits is the answer when the time of the hook is over and nobody has decided: the approval
// waits on, and is no denial of anybody's.
func (e *Event) Waits(approval, after string) Answer {
	return e.Deny(fmt.Sprintf("Nobody has decided about this call within %s, so it does not go ahead now. It was not refused: approval %s waits on in approvald, "+
		"where a person decides it with `approvald inbox` or `approvald decide %s`. The same call, made again in this session, takes up that approval and its decision.",
		after, approval, approval))
}

// Ended is the answer where the agent's session ended while the call was asked about.
func (e *Event) Ended(approval string) Answer {
	return e.Deny("The session in which this call was made has ended, and with it what was asked in it (approval " + approval + "), so the call does not go ahead.")
}

// NotStarted is the answer where the hook's program could not be started.
func NotStarted(kind Kind, program, cause string) Answer {
	return Broken(kind, fmt.Sprintf("the hook failed to start. Its program is %s, and %s. "+
		"Install approvald-hook beside approvald (`make build` and `go install ./cmd/...` build both), then try again.", program, cause))
}

// KindOf is the event that a text names, for an answer to it where nothing else is of
// interest; "" where none can be read.
func KindOf(text []byte) Kind {
	e, _ := Parse(text, Surroundings{Real: func(dir string) string { return dir }})
	return e.Kind
}
