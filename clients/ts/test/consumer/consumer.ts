// What a program in TypeScript that uses the package may rely on. It is compiled against the declarations
// that are published, and never run.
import { type Client, connect, isRefusal, isSubject, socket, type RequestHandler } from "@approvald/client";
import type { ApprovalRequest, Decision, Mode, PolicyResult } from "@approvald/client/wire";

const handler: RequestHandler = (request, { signal }) => {
  if (signal.aborted || !isSubject(request.subject, "shell")) {
    return undefined;
  }
  const command: string = request.subject.command;
  return request.subject.stages.length === 1 && command === "make test" ? { choiceId: "allow_once" } : undefined;
};

export async function run(): Promise<PolicyResult | undefined> {
  const client: Client = await connect(socket(), { role: "both", onRequest: handler });
  const { session } = await client.startSession({ workspaceRoot: "/srv/app" });
  const { approvalId } = await client.open({
    sessionId: session.sessionId,
    toolCallId: "call_1",
    toolName: "bash",
    rawArgs: "{}",
    reason: "to test",
    subject: { kind: "shell", command: "make test" },
  });
  client.onNotification((method, params) => {
    if (method === "approval/resolved") {
      void params;
    }
  });
  try {
    const { resolution } = await client.await({ sessionId: session.sessionId, approvalId });
    return resolution?.policyResult;
  } catch (error) {
    if (isRefusal(error, "approvalAlreadyResolved")) {
      const decision: Decision = error.data.resolution.decision;
      void decision;
    }
    throw error;
  }
}

// An open set takes what is not known, a closed one does not.
export const decision: Decision = "approvedForAnHour";
// @ts-expect-error there is no such mode
export const mode: Mode = "sometimes";
// @ts-expect-error a command needs its params
export const ask = (client: Client) => client.command("approval/decide", { choiceId: "abort" });
// @ts-expect-error there is no such query
export const query = (client: Client) => client.query("approval/decide", {});
export const menu = (request: ApprovalRequest) => request.availableChoices.map((c) => c.choiceId);
