import type { OpenApi, Operation, Parameter } from './openapi.ts';
import type { JsonSchema } from './schemas.ts';
import { toType } from './typescript.ts';

/** The types of the client that sites install: what each operation takes and answers. */
export function toClientTypes({ paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, operation]) => method !== 'options' && isForPrograms(operation))
      .map(([method, operation]) => entryOf(`${method.toUpperCase()} ${path}`, operation)),
  );
  const named = Object.entries(components.schemas).map(
    ([name, schema]) => `export ${declarationOf(name, toType(schema))}\n`,
  );
  return [head, `export interface Operations {\n${operations.join('')}}\n`, ...named].join('\n');
}

const declarationOf = (name: string, type: string) =>
  type.startsWith('{') ? `interface ${name} ${type}` : `type ${name} = ${type};`;

const head = `// Made of the description of the API by "npm run client:types".

export interface ClientOptions {
  /** Address of your Headcount. */
  server: string;
  /** \`hc_…\`, for all but shared pages. */
  key?: string | undefined;
  /** In place of the platform's own. */
  fetch?: typeof fetch;
}

export type HeadcountErrorBody = Error;

/** What the server refused: \`message\` is a sentence that says what to do. */
export declare class HeadcountError extends globalThis.Error {
  readonly status: number;
  readonly details: { message: string; path: string }[];
  readonly retryAfterSeconds: number | undefined;
}

type Arguments<Given> = Record<string, never> extends Given ? [given?: Given] : [given: Given];

/** Asks for an operation, by its method and path. @throws HeadcountError */
export type Client = <Name extends keyof Operations>(
  operation: Name,
  ...given: Arguments<Operations[Name]['given']>
) => Promise<Operations[Name]['reply']>;

export declare function createClient(options: ClientOptions): Client;
`;

/** What answers JSON, or nothing but a status. */
function isForPrograms({ operationId, responses }: Operation): boolean {
  if (/^(server|mcp)\./.test(operationId)) return false;
  const types = Object.keys(firstOf(responses)?.content ?? {});
  return types.length === 0 || types.includes('application/json');
}

function firstOf(responses: Operation['responses']) {
  const [first] = Object.values(responses);
  return first && !('$ref' in first) ? first : undefined;
}

function entryOf(name: string, { summary, parameters = [], requestBody, responses }: Operation): string {
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const reply = firstOf(responses)?.content?.['application/json']?.schema;
  const given = [
    groupOf('path', parameters),
    groupOf('query', parameters),
    groupOf('headers', parameters),
    body ? `      body: ${toType(body, '      ')};\n` : '',
  ].join('');
  const taken = given === '' ? 'Record<string, never>' : `{\n${given}    }`;
  return `  /** ${summary} */\n  '${name}': {\n    given: ${taken};\n    reply: ${reply ? toType(reply, '    ') : 'undefined'};\n  };\n`;
}

function groupOf(group: 'path' | 'query' | 'headers', parameters: Parameter[]): string {
  const place = group === 'headers' ? 'header' : group;
  // A file is no JSON.
  const own = parameters.filter((one) => one.in === place && one.name !== 'format');
  if (own.length === 0) return '';
  const described = own.map(({ name, description, schema }) => [name, { description, ...schema }]);
  const required = own.filter((one) => one.required).map(({ name }) => name);
  const schema: JsonSchema = { type: 'object', properties: Object.fromEntries(described), required };
  return `      ${group}${required.length > 0 ? '' : '?'}: ${toType(schema, '      ')};\n`;
}
