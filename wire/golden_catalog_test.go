package wire

const seedCatalog = "0198f0ae-aaaa-7000-8000-0000000000c1"

var catalogGoldens = []golden{
	{"catalog/open params", CatalogOpenParams{
		CommandID: seedCommand, SessionID: seedSession, ServerName: "mail", Transport: "stdio",
		Tools: List[CatalogTool]{{Name: "send", Digest: "sha256:01"}, {Name: "read && more", Digest: "sha256:02"}},
	},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","serverName":"mail","transport":"stdio",` +
			`"tools":[{"name":"send","digest":"sha256:01"},{"name":"read && more","digest":"sha256:02"}]}`},
	{"catalog/open params, a server without tools", CatalogOpenParams{CommandID: seedCommand, SessionID: seedSession, ServerName: "mail"},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","serverName":"mail","tools":[]}`},
	{"catalog/open result", CatalogOpenResult{Ack: Accepted(seedCommand), CatalogID: seedCatalog},
		`{"commandId":"` + seedCommand + `","status":"accepted","catalogId":"` + seedCatalog + `"}`},
	{"catalog/update params", CatalogUpdateParams{
		CommandID: seedCommand, SessionID: seedSession, CatalogID: seedCatalog, Tools: List[CatalogTool]{{Name: "send", Digest: "sha256:03"}},
	},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","catalogId":"` + seedCatalog + `",` +
			`"tools":[{"name":"send","digest":"sha256:03"}]}`},
	{"catalog/update result", CatalogUpdateResult{Ack: Accepted(seedCommand)}, `{"commandId":"` + seedCommand + `","status":"accepted"}`},
	{"catalog/close params", CatalogCloseParams{CommandID: seedCommand, SessionID: seedSession, CatalogID: seedCatalog},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","catalogId":"` + seedCatalog + `"}`},
	{"catalog/close result", CatalogCloseResult{Ack: Accepted(seedCommand)}, `{"commandId":"` + seedCommand + `","status":"accepted"}`},
}
