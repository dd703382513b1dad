package main

// upTo is a number from 1 on.
func upTo(most int) object { return object{{"minimum", 1}, {"maximum", most}} }

// itemsUpTo is a list that is not empty.
func itemsUpTo(most int) object { return object{{"minItems", 1}, {"maxItems", most}} }

// longestWait is the most milliseconds of a deadline (protocol §7).
const longestWait = 1<<31 - 1

// bounds are what the contract says of a member beyond its type (protocol §1, §4 to §7). The daemon
// refuses what is beyond them with -32602.
var bounds = map[string]object{
	"ClientInfo.Name":                      {{"pattern", "^[a-z0-9_]+$"}, {"maxLength", 128}},
	"ClientInfo.Version":                   {{"minLength", 1}},
	"SessionListParams.Limit":              upTo(200),
	"ViewPageParams.Limit":                 upTo(1000),
	"ApprovalListPendingParams.Limit":      upTo(1000),
	"ApprovalAwaitParams.ApprovalIDs":      itemsUpTo(1000),
	"ApprovalAwaitParams.WaitMs":           {{"minimum", 0}},
	"UserInputAwaitParams.UserInputIDs":    itemsUpTo(1000),
	"UserInputAwaitParams.WaitMs":          {{"minimum", 0}},
	"ApprovalPrepareParams.Requests":       itemsUpTo(256),
	"ApprovalConsumeAllParams.Items":       itemsUpTo(256),
	"ApprovalOpenParams.ToolName":          {{"minLength", 1}},
	"ApprovalOpenParams.Reason":            {{"minLength", 1}},
	"ApprovalOpenParams.Justification":     {{"maxLength", 240}},
	"ApprovalOpenParams.TimeoutMs":         upTo(longestWait),
	"ApprovalPrepareRequest.ToolCallID":    {{"minLength", 1}},
	"ApprovalPrepareRequest.ToolName":      {{"minLength", 1}},
	"ApprovalPrepareRequest.Reason":        {{"minLength", 1}},
	"ApprovalPrepareRequest.Justification": {{"maxLength", 240}},
	"ApprovalPrepareRequest.TimeoutMs":     upTo(longestWait),
	"OpenShell.Command":                    {{"minLength", 1}},
	"UserInputOpenParams.Questions":        itemsUpTo(64),
	"UserInputOpenParams.AutoResolutionMs": upTo(longestWait),
	"Answer.FreeText":                      {{"maxLength", 500}},
	"Answer.Note":                          {{"maxLength", 500}},
	"Clarification.Content":                {{"minLength", 1}, {"maxLength", 500}},
	"RequirementID.SourceIndex":            {{"minimum", 0}},
	"Stage.Position":                       {{"minimum", 1}},
	"Stage.TotalStages":                    {{"minimum", 1}},
	"StageEvidence.Position":               {{"minimum", 1}},
	"StageEvidence.TotalStages":            {{"minimum", 1}},
	"ShellSubject.Stages":                  {{"minItems", 1}},
	"ApprovalOpenResult.ArgsDigest":        digest,
	"ApprovalOpenResult.SubjectDigest":     digest,
	"PreparedApproval.ArgsDigest":          digest,
	"PreparedApproval.SubjectDigest":       digest,
	"Permit.ArgsDigest":                    digest,
	"Permit.SubjectDigest":                 digest,
	"Schema.Fingerprint":                   digest,
}

var digest = object{{"pattern", "^sha256:[0-9a-f]{64}$"}}

// choices are what the contract says of several members of a struct together.
var choices = map[string]object{
	"ApprovalCancelParams": {{"oneOf", each("approvalId", "toolCallId", "turnId", "all")}},
	"Answer":               {{"oneOf", each("selectedLabel", "selectedLabels", "freeText")}},
	"PendingRequest":       {{"oneOf", each("approvalId", "userInputId")}},
	"SessionStartParams":   {{"not", object{{"required", []string{"approvalMode", "preset"}}, {"properties", object{{"approvalMode", object{{"type", "string"}}}}}}}},
}

func each(names ...string) (out []object) {
	for _, name := range names {
		out = append(out, object{{"required", []string{name}}})
	}
	return out
}
