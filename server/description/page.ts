import { scopesWith } from '../../shared/accounts/key-scope.ts';
import { addressOf } from '../config/own-address.ts';
import { escapeHtml } from '../text/escape-html.ts';
import type { DescribedResponse, OpenApi, Operation, Parameter } from './openapi.ts';
import type { JsonSchema } from './schemas.ts';
import { toType } from './typescript.ts';

/** The description for people: one page without scripts. */
export function renderPage(api: OpenApi): string {
  const { info, servers, tags, components } = api;
  const basePath = servers[0].url.replace(/\/$/, '');
  const named = Object.entries(components.schemas).map(
    ([name, schema]) => `<h3 id="type-${name}">${name}</h3>${codeOf(schema)}`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>API of Headcount</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${addressOf(basePath, '/docs.css')}">
</head>
<body>
<header><h1>API of Headcount</h1><p>Version ${escapeHtml(info.version)}, as <a href="${addressOf(basePath, '/openapi.json')}">OpenAPI</a> for programs</p></header>
<nav aria-label="Operations"><a href="#any">Any request</a>${tags.map(({ name }) => navOf(api, name)).join('')}<a href="#types">Types</a></nav>
<main>
<p>${prose(info.description)}</p>
<section id="any"><h2>Any request</h2><p>Responses of every request, in addition to its own.</p><article>${answersOf(api, generalAnswers(api))}</article></section>
${tags.map((tag) => sectionOf(api, tag)).join('')}
<section id="types"><h2>Types</h2>${named.join('')}</section>
</main>
</body>
</html>
`;
}

interface Placed {
  method: string;
  path: string;
  operation: Operation;
}

function operationsOf({ paths }: OpenApi, tag: string): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function navOf(api: OpenApi, tag: string): string {
  const links = operationsOf(api, tag).map(
    ({ operation: { operationId, summary } }) => `<li><a href="#${operationId}">${prose(summary)}</a></li>`,
  );
  return `<details><summary>${escapeHtml(tag)}</summary><ul>${links.join('')}</ul></details>`;
}

function sectionOf(api: OpenApi, { name, description }: OpenApi['tags'][number]): string {
  const articles = operationsOf(api, name).map((placed) => articleOf(api, placed));
  return `<section><h2>${escapeHtml(name)}</h2><p>${prose(description)}</p>${articles.join('')}</section>`;
}

function articleOf(api: OpenApi, { method, path, operation }: Placed): string {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation;
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  return `<article id="${operationId}"><h3><b class="${method.toLowerCase()}">${method}</b> <code>${escapeHtml(path)}</code></h3>
<p>${prose(summary)}.${description === undefined ? '' : ` ${prose(description)}`}${keyNote(security)}</p>
${parameters.length > 0 ? tableOf(parameters) : ''}${body ? `<h4>Body</h4>${codeOf(body)}` : ''}<h4>Answers</h4>${answersOf(
    api,
    Object.entries(responses).filter(([status]) => !isGeneral(status)),
  )}</article>
`;
}

function keyNote([needed]: Operation['security']): string {
  if (!needed) return '';
  const [scope] = needed.key ?? [];
  return ` <em>Needs a key${scope === undefined ? '' : ` with the scope ${scopesWith(scope).join(' or ')}`}.</em>`;
}

/** `4XX` or `5XX`: the same for all, so it is on the page once. */
const isGeneral = (status: string) => status.endsWith('XX');

function generalAnswers({ paths }: OpenApi): StatedResponse[] {
  const [operation] = Object.values(paths).flatMap(Object.values<Operation>);
  return Object.entries(operation?.responses ?? {}).filter(([status]) => isGeneral(status));
}

type StatedResponse = [status: string, Operation['responses'][string]];

const answersOf = (api: OpenApi, responses: StatedResponse[]) =>
  `<dl>${responses.map(([status, response]) => answerOf(status, resolved(api, response))).join('')}</dl>`;

function resolved(
  { components }: OpenApi,
  response: DescribedResponse | { $ref: string },
): DescribedResponse {
  if (!('$ref' in response)) return response;
  return components.responses[response.$ref.split('/').at(-1) as string] as DescribedResponse;
}

function tableOf(parameters: Parameter[]): string {
  const rows = parameters.map(
    ({ name, in: place, required, description = '', schema }) =>
      `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td>${place}${required ? ', needed' : ''}</td><td>${boundsOf(schema)}</td><td>${prose(description)}</td></tr>`,
  );
  return `<h4>Parameters</h4><div class="scroll" tabindex="0" role="group" aria-label="Parameters"><table><tbody>${rows.join('')}</tbody></table></div>`;
}

function boundsOf(schema: JsonSchema): string {
  const { minimum, maximum, default: standard } = schema;
  const range =
    minimum === undefined ? '' : maximum === undefined ? `, from ${minimum}` : `, ${minimum} to ${maximum}`;
  const usual = standard === undefined ? '' : `, otherwise ${JSON.stringify(standard)}`;
  return escapeHtml(`${toType(schema)}${range}${usual}`);
}

function answerOf(status: string, { description, content = {} }: DescribedResponse): string {
  const bodies = Object.entries(content).map(([type, { schema }]) =>
    type === 'application/json' && status < '4' ? codeOf(schema) : '',
  );
  return `<dt>${status}</dt><dd>${prose(description)}${status < '4' ? ` ${typesOf(content)}` : ''}${bodies.join('')}</dd>`;
}

function typesOf(content: NonNullable<DescribedResponse['content']>): string {
  return Object.keys(content)
    .filter((type) => type !== 'application/json')
    .map((type) => `<code>${escapeHtml(type)}</code>`)
    .join(' ');
}

/** Names of types lead to them. */
function codeOf(schema: JsonSchema): string {
  const linked = escapeHtml(toType(schema)).replace(
    /(?<=[:&lt;] |^|\()([A-Z]\w+)(?=[[;|)]|$)/gm,
    '<a href="#type-$1">$1</a>',
  );
  const quieted = linked.replace(/\/\*\*.*?\*\//gs, '<i>$&</i>');
  return `<pre tabindex="0"><code>${quieted}</code></pre>`;
}

/** What descriptions use of Markdown: code, and paragraphs. */
const prose = (text: string) =>
  escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '<br>');
