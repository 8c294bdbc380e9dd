import type { KeyScope } from '../../shared/accounts/key-scope.ts';
import { dimensionNames, dimensions } from '../../shared/reports/dimensions.ts';
import { overview } from '../../shared/reports/insight-reports.ts';
import { operationOf, type Report } from '../../shared/reports/report.ts';
import { reports } from '../../shared/reports/reports.ts';
import type { OpenApi, Operation } from '../description/openapi.ts';
import type { JsonSchema } from '../description/schemas.ts';
import { type Effect, effectOf, type Route, type Tool } from '../http/route.ts';

/** A tool for models: an operation of the API, described for a model. */
interface McpTool extends Tool {
  /** By its name. */
  operation: string | OneOf;
  effect: Effect;
}

/** Operations that are asked for alike: a parameter of the tool says which is meant. */
interface OneOf {
  parameter: string;
  /** By the value of the parameter. */
  operations: Readonly<Record<string, string>>;
}

/** One tool for all: each tool takes room in the context of a model. */
const byDimension: McpTool = {
  name: 'read_visitors_by',
  title: 'Visitors by country, device and more',
  description:
    'Counts visitors by one of their traits, people and AI clients apart. With `path`, those of one page, where such sums are kept.',
  operation: {
    parameter: 'by',
    operations: {
      channel: 'analytics.channels',
      ...Object.fromEntries(
        dimensionNames
          .filter((name) => !('tool' in dimensions[name]))
          .map((name) => [name, `analytics.${dimensions[name].report}`]),
      ),
    },
  },
  without: ['format'],
  effect: 'reads',
};

/** Files are for people. */
const toolOf = ({ tool }: Report, operation: string): McpTool[] =>
  tool ? [{ ...tool, operation, without: ['format'], effect: 'reads' }] : [];

const aiRules: McpTool = {
  name: 'write_ai_rules',
  title: 'Rules for AI clients',
  description:
    'Writes rules for robots.txt, nginx, Caddy or a Cloudflare Worker that allow, slow down, refuse or charge AI clients, by purpose and by client. It changes nothing: a person pastes them.',
  operation: 'analytics.ai-rules',
  without: ['format'],
  effect: 'reads',
};

/** The order in which a model is given the reports: the others follow. */
const order: readonly string[] = [
  ...['read_all_projects', 'read_visitors', 'read_views', 'read_sources'],
  ...['read_visitors_by', 'read_assistant_landings', 'read_sections', 'read_entry_pages', 'read_exit_pages'],
  ...['read_time_on_page', 'read_text_fragments', 'read_ai_clients', 'read_ai_client_pages'],
  ...['read_events', 'read_event_properties', 'read_goals', 'read_goal_sources'],
  ...[
    'read_goal_entry_pages',
    'read_goal_countries',
    'read_goal_devices',
    'read_goal_channels',
    'read_goal_sections',
  ],
  ...['read_funnels', 'read_ai_failures'],
  ...['read_ai_formats', 'read_ai_bytes', 'read_ai_files', 'read_ai_cut_off'],
  ...['read_ai_disallowed', 'read_signatures', 'read_ai_networks', 'read_data_sources'],
  ...['read_dropped', 'read_cardinality_limits', 'read_freshness', 'write_ai_rules'],
  ...['read_series', 'read_hours', 'read_now', 'read_operators'],
  ...['read_silent_clients', 'read_gaps', 'read_changes', 'read_search_engines'],
  ...['read_search_names', 'read_effect'],
];

const placeOf = ({ name }: McpTool) => (order.includes(name) ? order.indexOf(name) : order.length);

const readingTools = [
  ...toolOf(overview, 'analytics.glance'),
  byDimension,
  ...Object.entries<Report>(reports).flatMap(([path, one]) => toolOf(one, `analytics.${operationOf(path)}`)),
  aiRules,
].sort((a, b) => placeOf(a) - placeOf(b));

/** In the order in which a model is given them: what ends something comes after what else there is of its kind. */
export function toolsOf(operations: readonly Route[]): readonly McpTool[] {
  const kinds = Map.groupBy(operations, ({ name }) => name.split('.').slice(0, -1).join('.')).values();
  const all = [...kinds].flatMap((kind) => kind.toSorted((a, b) => Number(isEnd(a)) - Number(isEnd(b))));
  const tools = all.flatMap(({ tool, name, ...one }) =>
    tool ? [{ ...tool, operation: name, effect: effectOf(one) }] : [],
  );
  const { first = [], others = [] } = Object.groupBy(tools, ({ isFirst }) => (isFirst ? 'first' : 'others'));
  return [...first, ...readingTools, ...others];
}

const isEnd = (operation: Route) => effectOf(operation) === 'ends';

/** An operation with its method and path. */
export interface Called {
  method: string;
  path: string;
  operation: Operation;
}

export interface DescribedTool extends Omit<McpTool, 'operation'> {
  input: JsonSchema;
  /** Of a tool for several operations, what chooses one of them. */
  chooser?: string;
  /** Scopes of keys that may use it. */
  needs: KeyScope[];
  /** The operation to call for the arguments of a model, which fit `input`. */
  calledFor(given: Record<string, unknown>): Called;
}

/** The tools with their parameters, from the description of the API. */
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
    const { operation, ...described } = tool;
    if (typeof operation !== 'string') return { ...described, ...describeOneOf(tool, operation, find) };
    const one = find(operation, tool);
    return { ...described, input: inputOf(one.operation, tool), needs: needsOf([one]), calledFor: () => one };
  });
}

/** Each operation itself rejects parameters that only others accept. */
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

/** Parameters and fields of the body in one object: their names differ. */
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
