import { type KeyScope, keyScopeText } from '../../shared/accounts/key-scope.ts';
import { errorReply } from '../../shared/reply.ts';
import { type ErrorCode, statusOf } from '../errors.ts';
import { accessRules } from '../http/access.ts';
import type { Answer } from '../http/answer.ts';
import { type Route, scopeFor } from '../http/route.ts';
import { generalRefusals, refusalsOf, refusalTexts } from './refusals.ts';
import { type JsonSchema, Schemas } from './schemas.ts';
import { tagOf } from './tags.ts';

export interface DescribedResponse {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Record<string, { schema: JsonSchema }>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, KeyScope[]>[];
  parameters?: Parameter[];
  requestBody?: { required: true; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, DescribedResponse | { $ref: string }>;
}

/** The parts of https://spec.openapis.org/oas/v3.1.1 that are used here. */
export interface OpenApi {
  openapi: '3.1.1';
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: [{ url: string }];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, DescribedResponse>;
    securitySchemes: Record<string, Record<string, string>>;
  };
}

interface Options {
  version: string;
  /** The path that the server is below, where it is not at the root. */
  basePath?: string;
  /** Answers may have no other fields than those described: for tests. */
  isClosed?: boolean;
}

/** Describes the operations, in their order. */
export async function describeApi(
  operations: readonly Route[],
  { version, basePath = '', isClosed = false }: Options,
): Promise<OpenApi> {
  const schemas = new Schemas({ isClosed });
  const paths: OpenApi['paths'] = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: await describe(operation, schemas) };
  }
  const used = operations.map(({ name }) => tagOf(name));
  const named = new Map(used.map(({ name, description }) => [name, { name, description }]));
  return {
    openapi: '3.1.1',
    info: { title: 'Headcount', version, description: about, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: basePath || '/' }],
    tags: [...named.values()],
    paths,
    components: {
      responses: refusalResponses(operations, schemas.output(errorReply())),
      schemas: schemas.named,
      securitySchemes: Object.fromEntries(
        Object.entries(securitySchemes).filter(([name]) => operations.some((one) => schemeOf(one) === name)),
      ),
    },
  };
}

const about = `JSON in and out, UTF-8. Times are RFC 3339 in UTC, counts are whole numbers. Unknown fields are
ignored, and so are unknown parameters, except in reports, where they are a 400 that lists the known ones; names that
begin with \`_\` are always ignored. A parameter given twice is a 400. GET brings HEAD with it; another method is a 405 with \`Allow\`, an
unknown address a 404. Answers may get more fields. A key travels as \`Authorization: Bearer hc_…\`.`;

const keyText = `A key of the project or of all projects: \`hc_<scope>_…\`. An operation names the scope that it needs. Of keys ${keyScopeText}`;

const securitySchemes: Record<Scheme, Record<string, string>> = {
  key: { type: 'http', scheme: 'bearer', description: keyText },
  session: { type: 'apiKey', in: 'cookie', name: 'headcount_session', description: 'The dashboard.' },
};

type Scheme = 'key' | 'session';

/** Operations for keys also accept the dashboard's session, which is not meant for programs. */
function schemeOf({ access }: Route): Scheme | undefined {
  const { keys, session } = accessRules[access];
  if (keys) return 'key';
  return session ? 'session' : undefined;
}

async function describe(operation: Route, schemas: Schemas): Promise<Operation> {
  const { name, summary, description, body } = operation;
  const scheme = schemeOf(operation);
  const parameters = parametersOf(operation, schemas);
  return {
    operationId: name,
    tags: [tagOf(name).name],
    summary,
    ...(description !== undefined && { description }),
    // By its scheme: what of keys is a scope of theirs, as OpenAPI has roles for schemes other than OAuth.
    security: scheme ? [{ [scheme]: scheme === 'key' ? [scopeFor(operation)] : [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          [body.anyType ? 'text/plain' : 'application/json']: { schema: schemas.input(body.schema) },
        },
      },
    }),
    responses: await responsesOf(operation, schemas),
  };
}

function parametersOf({ path, query, headers = {} }: Route, schemas: Schemas): Parameter[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']): Parameter => {
    const description = pathTexts[name];
    if (description === undefined)
      throw new Error(`${path}: server/description/openapi.ts knows no ${name}.`);
    return { name, in: 'path', required: true, description, schema: { type: 'string' } };
  });
  const { properties = {}, required = [] } = query ? schemas.input(query) : {};
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]): Parameter => {
    const text = description === undefined ? {} : { description: String(description) };
    return { name, in: 'query', required: required.includes(name), ...text, schema };
  });
  const inHead = Object.entries(headers).map(
    ([name, description]): Parameter => ({
      name,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string' },
    }),
  );
  return [...inPath, ...inQuery, ...inHead];
}

const pathTexts: Readonly<Record<string, string>> = {
  projectId: 'Id of the project.',
  jobId: 'Id of the job.',
  imageNumber: 'Number of the image, as the transcript has it.',
  client: 'Name of the AI client, such as `GPTBot`.',
  event: 'Name of the event, such as `Sign up`.',
  goal: 'The goal as it is set: the name of an event, or a path.',
  token: 'The last part of the link.',
  keyId: 'Id of the key.',
  linkId: 'Id of the link.',
  userId: 'Id of the user.',
  annotationId: 'Id of the annotation.',
  viewId: 'Id of the saved view.',
  faultId: 'Id of the fault.',
  automationId: 'Id of the automation.',
  importId: 'Number of the import.',
  tool: 'Name of the other tool, such as `plausible` or `bing`.',
  changeId: 'Id of the change: of an annotation.',
  instance: 'Derived from the key of the server.',
};

async function responsesOf(operation: Route, schemas: Schemas): Promise<Operation['responses']> {
  const responses: Operation['responses'] = {};
  for (const code of refusalsOf(operation)) {
    responses[statusOf[code]] = { $ref: `#/components/responses/${nameOf(code)}` };
  }
  for (const [status, answer] of Object.entries(operation.answers)) {
    responses[status] = await answerOf(answer, schemas);
  }
  return {
    ...responses,
    '4XX': { $ref: '#/components/responses/AnyRequest' },
    '5XX': { $ref: '#/components/responses/AnyDefect' },
  };
}

async function answerOf(
  { says, headers, json, types = [] }: Answer,
  schemas: Schemas,
): Promise<DescribedResponse> {
  const content: DescribedResponse['content'] = {};
  if (json) content['application/json'] = { schema: schemas.output(json()) };
  for (const type of types) content[type] ??= { schema: { type: 'string' } };
  return responseOf(says, headers, content);
}

function responseOf(
  description: string,
  headers: Answer['headers'] = {},
  content: DescribedResponse['content'] = {},
): DescribedResponse {
  const fields = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return {
    description,
    ...(fields.length > 0 && { headers: Object.fromEntries(fields) }),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

function refusalResponses(
  operations: readonly Route[],
  schema: JsonSchema,
): Record<string, DescribedResponse> {
  const content = { 'application/json': { schema } };
  const listed = (codes: readonly ErrorCode[]) =>
    codes.map((code) => `${statusOf[code]}: ${refusalTexts[code].says}`).join('\n\n');
  const used = new Set(operations.flatMap((operation) => [...refusalsOf(operation)]));
  const each = [...used].map((code) => {
    const { says, headers } = refusalTexts[code];
    return [nameOf(code), responseOf(says, headers, content)];
  });
  return {
    ...Object.fromEntries(each),
    AnyRequest: {
      description: `Errors that any request may get.\n\n${listed(generalRefusals.client)}`,
      content,
    },
    AnyDefect: {
      description: `Failures that any request may meet.\n\n${listed(generalRefusals.server)}`,
      content,
    },
  };
}

const nameOf = (code: ErrorCode) => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
