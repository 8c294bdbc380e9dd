import type { OpenApi, Operation } from '../description/openapi.ts';
import type { JsonSchema } from '../description/schemas.ts';
import { type McpTool, tools } from './tools.ts';

/** An operation, and how it is asked for. */
export interface Called {
  method: string;
  path: string;
  operation: Operation;
}

export interface DescribedTool extends Omit<McpTool, 'operation'>, Called {
  input: JsonSchema;
}

/** The tools with what they take, which is what the description of the API says. */
export function describeTools(api: OpenApi): DescribedTool[] {
  const called = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Called => ({ method, path, operation })),
  );
  return tools.map((tool) => {
    const found = called.find(({ operation }) => operation.operationId === tool.operation);
    if (!found) throw new Error(`The tool ${tool.name} is of no operation.`);
    return { ...tool, ...found, input: inputOf(found.operation, tool) };
  });
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
    properties: { ...properties, ...body?.properties },
    required: [...required, ...(body?.required ?? [])],
    additionalProperties: false,
  };
}
