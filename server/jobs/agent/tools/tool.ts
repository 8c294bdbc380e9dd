import { z } from 'zod';
import { JobFailure } from '../../failure.ts';
import { excerpt } from '../../text/excerpt.ts';
import { ToolError } from './tool-error.ts';

/** Enough for a page of documentation, and small beside what a model can read at once. */
const maxOutputLength = 40_000;

export interface Tool {
  name: string;
  description: string;
  /** JSON Schema of the input, as models get it. */
  parameters: Record<string, unknown>;
  /** Takes whatever the model sent. @throws ToolError, JobFailure or what the system says. */
  call(input: unknown, signal: AbortSignal): Promise<string>;
}

export interface ToolResult {
  ok: boolean;
  output: string;
}

export function defineTool<Schema extends z.ZodType>(tool: {
  name: string;
  description: string;
  input: Schema;
  run: (input: z.output<Schema>, signal: AbortSignal) => Promise<string>;
}): Tool {
  const { name, description, input, run } = tool;
  return {
    name,
    description,
    parameters: toJsonSchema(input),
    async call(value, signal) {
      const parsed = input.safeParse(value);
      if (parsed.success) return run(parsed.data, signal);
      const issues = parsed.error.issues.slice(0, 5);
      const faults = issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
      throw new ToolError(`The input does not fit the tool "${name}". ${faults.join('; ')}`);
    },
  };
}

/** Without the address of the JSON Schema version, which some servers do not take. */
function toJsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _version, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  return parameters;
}

/** Answers in words whatever happens; only the end of the run is thrown, as JobFailure. */
export async function runTool(
  tools: readonly Tool[],
  call: { name: string; input: unknown },
  signal: AbortSignal,
): Promise<ToolResult> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(', ');
    return { ok: false, output: `There is no tool of that name. The tools are: ${names}.` };
  }
  try {
    return { ok: true, output: cutOutput(await tool.call(call.input, signal)) };
  } catch (error) {
    if (error instanceof JobFailure) throw error;
    return {
      ok: false,
      output: error instanceof ToolError ? cutOutput(error.message) : describeFault(error),
    };
  }
}

/** The code only: messages of the system name places outside the repository. */
function describeFault(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const cause = typeof code === 'string' ? ` (${code})` : '';
  return `The tool failed${cause}. Try another way, or say so in your summary.`;
}

function cutOutput(text: string): string {
  return excerpt(text, maxOutputLength, '\n(cut here: ask for less at once)');
}
