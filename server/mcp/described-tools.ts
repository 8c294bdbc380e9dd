import type { KeyScope } from '../../shared/accounts/key-scope.ts';
import type { OpenApi, Operation } from '../description/openapi.ts';
import type { JsonSchema } from '../description/schemas.ts';
import type { Route } from '../http/route.ts';
import type { McpTool, OneOf } from './tool.ts';
import { toolsOf } from './tools.ts';

/** An operation, and how it is asked for. */
export interface Called {
  method: string;
  path: string;
  operation: Operation;
}

export interface DescribedTool extends Omit<McpTool, 'operation'> {
  input: JsonSchema;
  /** Of a tool for several operations, what chooses one of them. */
  chooser?: string;
  /** What a key has to be for. */
  needs: KeyScope[];
  /** What is called for what a model gives, which fits `input`. */
  calledFor(given: Record<string, unknown>): Called;
}

/** The tools with what they take, which is what the description of the API says. */
export function describeTools(api: OpenApi, operations: readonly Route[]): DescribedTool[] {
  const called = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Called => ({ method, path, operation })),
  );
  const find = (name: string, tool: McpTool): Called => {
    const found = called.find(({ operation }) => operation.operationId === name);
    if (!found) throw new Error(`The tool ${tool.name} is of no operation.`);
    return found;
  };
  return toolsOf(operations).map((tool) => {
    const { operation, ...told } = tool;
    if (typeof operation !== 'string') return { ...told, ...describeOneOf(tool, operation, find) };
    const one = find(operation, tool);
    return { ...told, input: inputOf(one.operation, tool), needs: needsOf([one]), calledFor: () => one };
  });
}

/** Each refuses by itself what only others of them take. */
function describeOneOf(
  tool: McpTool,
  { parameter, operations }: OneOf,
  find: (name: string, tool: McpTool) => Called,
): Pick<DescribedTool, 'input' | 'needs' | 'chooser' | 'calledFor'> {
  const choices = new Map(Object.entries(operations).map(([choice, name]) => [choice, find(name, tool)]));
  const inputs = choices
    .values()
    .map(({ operation }) => inputOf(operation, tool))
    .toArray();
  const choice: JsonSchema = { type: 'string', enum: [...choices.keys()] };
  return {
    input: {
      type: 'object',
      properties: Object.assign({ [parameter]: choice }, ...inputs.map(({ properties }) => properties)),
      required: [parameter, ...new Set(inputs.flatMap(({ required = [] }) => required))],
      additionalProperties: false,
    },
    chooser: parameter,
    needs: needsOf([...choices.values()]),
    calledFor: (given) => choices.get(String(given[parameter])) as Called,
  };
}

const needsOf = (called: readonly Called[]) =>
  called.flatMap(({ operation }) => operation.security.flatMap(({ key = [] }) => key));

function fieldsOf(body: JsonSchema | undefined, without: readonly string[]): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(body?.properties ?? {}).filter(([name]) => !without.includes(name)),
  );
}

/** Parameters and the fields of the body beside each other: their names differ. */
function inputOf({ parameters = [], requestBody }: Operation, { without = [] }: McpTool): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const { name, description, schema, required: isRequired } of parameters) {
    if (without.includes(name)) continue;
    properties[name] = description === undefined ? schema : { description, ...schema };
    // Where the key is for one project, that is the one.
    if (isRequired && name !== 'projectId') required.push(name);
  }
  const body = requestBody?.content['application/json']?.schema;
  return {
    type: 'object',
    properties: { ...properties, ...fieldsOf(body, without) },
    required: [...required, ...(body?.required ?? [])],
    additionalProperties: false,
  };
}
