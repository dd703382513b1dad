package decide

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

var stageAllowed = approval.StageResolution{Kind: approval.StageAllowOnce}

// allowStage settles the current stage as resolution says and evaluates the
// remaining ones again (protocol §6 "Stages"): what is in force by now, a rule
// written by this very choice included, settles its stages in the same commit,
// and the next open one is put to reviewers.
func (c Decide) allowStage(d *draft, a fold.Full, choice wire.Choice, resolution approval.StageResolution, how approval.Resolution) {
	stages := slices.Clone(a.Stages)
	stages[a.Requirement] = resolution
	action := a.Action()
	action.Subject = approval.WithResolutions(action.Subject, stages)
	verdict := d.env.Policy.Evaluate(action, d.question(d.now(), action, waiting))
	_, left := firstOpen(stages)
	byPolicy := settledNow(stages, verdict.Stages)

	d.stage(a, &record.StageSettled{
		Opened: a.Opened, Stage: a.Requirement,
		ChoiceID: string(choice.ChoiceID), Decision: string(choice.Decision), By: &c.By,
	}, stages, forNow(verdict, len(byPolicy) == 0), left && len(byPolicy) == 0)
	after, _ := d.now().Approval(a.ID)
	if !left {
		c.end(d, after, choice, how)
		return
	}
	d.settleByPolicy(d.full(after), verdict, a.Requirement)
}

// allowRest settles every remaining stage, in order, and with the last of
// them the approval.
func (c Decide) allowRest(d *draft, a fold.Full, choice wire.Choice) {
	stages := slices.Clone(a.Stages)
	for i := range stages {
		if !stages[i].Open() {
			continue
		}
		stages[i] = stageAllowed
		d.stage(a, &record.StageSettled{
			Opened: a.Opened, Stage: i,
			ChoiceID: string(choice.ChoiceID), Decision: string(choice.Decision), By: &c.By,
		}, stages, policy.Verdict{Menu: policy.Menu{Session: true}}, false)
	}
	after, _ := d.now().Approval(a.ID)
	c.end(d, after, choice, approval.ByReviewerOnce)
}

// stage completes and appends the record of one settled stage. With something
// left it carries the next requirement and its menu, and, where asks says so,
// puts it to reviewers; with nothing left, the last requirement and no menu.
func (d *draft) stage(a fold.Full, body *record.StageSettled, stages []approval.StageResolution, verdict policy.Verdict, asks bool) {
	body.Stages = stagesOf(stages)
	body.Next, body.Menu = body.Stage, noMenu
	if next, left := firstOpen(stages); left {
		subject := approval.WithResolutions(a.Subject(), stages)
		body.Next, body.Menu, body.Asks = next, encode(menu(subject, verdict.Menu, a.Request.Protected)), asks
	}
	if body.Asks {
		body.Policy = answer(verdict)
	}
	d.add(a.ID, body)
}
