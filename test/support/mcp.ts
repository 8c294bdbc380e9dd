import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Headcount, type HeadcountOptions, startHeadcount } from './headcount.ts';

/** A server with a project that takes jobs, and clients of the Model Context Protocol. */
export interface McpRun {
  headcount: Headcount;
  connect(key: string): Promise<Client>;
  /** A request as it goes over the wire. */
  send(headers: Record<string, string>, body?: unknown): Promise<Response>;
}

/** For the tests of a file. */
export function mcpRun(options: HeadcountOptions = {}): McpRun {
  const run = { connect, send } as McpRun;
  const clients: Client[] = [];
  beforeAll(async () => {
    const repository = 'https://git.example.com/ada/site';
    const project = { repository, model: 'anthropic/claude-opus-4-5' };
    run.headcount = await startHeadcount({ project, ...options });
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await run.headcount.stop();
  });

  async function connect(key: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    const url = new URL(`${run.headcount.url}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    clients.push(client);
    return client;
  }
  async function send(
    headers: Record<string, string>,
    body: unknown = { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  ): Promise<Response> {
    const accept = 'application/json, text/event-stream';
    return fetch(`${run.headcount.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...headers },
      body: JSON.stringify(body),
    });
  }
  return run;
}

/** What the tool answers, or its refusal. */
export async function call(
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
): Promise<unknown> {
  const result = await client.callTool({ name, arguments: given });
  const [content] = result.content as { type: string; text: string }[];
  if (result.isError) return content?.text;
  expect(JSON.parse(content?.text as string)).toEqual(result.structuredContent);
  return result.structuredContent;
}
