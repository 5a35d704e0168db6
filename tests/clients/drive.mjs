// Drives an agent with the protocol's TypeScript SDK: `node drive.mjs CWD COMMAND...`. Prints what happened as JSON.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const [cwd, command, ...args] = process.argv.slice(2);
const seen = { permissions: [], updates: [], writes: [] };
let answer = "allow_once";
let onUpdate = () => {};

const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));

await client({ name: "drive" })
  .onRequest(methods.client.session.requestPermission, ({ params }) => {
    const asked = params ?? {};
    seen.permissions.push({ id: asked.toolCall.toolCallId, title: asked.toolCall.title, answer });
    const option = asked.options.find((each) => each.kind === answer);
    return { outcome: { outcome: "selected", optionId: option.optionId } };
  })
  .onRequest(methods.client.fs.readTextFile, ({ params }) => ({ content: readFileSync(params.path, "utf8") }))
  .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
    mkdirSync(dirname(params.path), { recursive: true });
    writeFileSync(params.path, params.content);
    seen.writes.push(params.path);
    return {};
  })
  .onNotification(methods.client.session.update, ({ params }) => {
    seen.updates.push(params.update);
    onUpdate(params.update);
  })
  .connectWith(stream, async (ctx) => {
    const capabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: false };
    seen.initialize = await ctx.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: capabilities,
      clientInfo: { name: "drive", version: "1" },
    });
    const session = await ctx.request(methods.agent.session.new, { cwd, mcpServers: [] });
    const sessionId = session.sessionId;
    seen.session = session;
    const prompt = async (text) => {
      const result = await ctx.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
      return result.stopReason;
    };
    const code = "```csharp\npublic class Repair { public int Id { get; set; } }\n```";

    answer = "reject_once";
    seen.rejected = await prompt(`Translate to Spring Data MongoDB:\n${code}`);
    answer = "allow_once";
    seen.allowed = await prompt(`Translate to Spring Data MongoDB:\n${code}`);
    await ctx.request(methods.agent.session.setMode, { sessionId, modeId: "accept_edits" });
    seen.unasked = await prompt(`Translate to Spring Data MongoDB:\n${code}`);

    const started = new Promise((resolve) => {
      onUpdate = (update) => update.sessionUpdate === "tool_call_update" && resolve();
    });
    const slow = prompt(`Translate slowly to Spring Data MongoDB:\n${code}`);
    await started;
    const cancelledAt = performance.now();
    await ctx.notify(methods.agent.session.cancel, { sessionId });
    seen.cancelled = await slow;
    seen.cancelTook = performance.now() - cancelledAt;
  });

agent.stdin.end();
const hungUpAt = performance.now();
seen.exitCode = agent.exitCode ?? (await new Promise((resolve) => agent.on("exit", resolve)));
seen.exitTook = performance.now() - hungUpAt;
console.log(JSON.stringify(seen));
process.exit(0);
