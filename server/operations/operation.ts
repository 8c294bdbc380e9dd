import type { Response } from 'express';
import { type AuditEntries, auditing } from '../audit/audit-list.ts';
import type { Terminal } from '../commands/terminal/command.ts';
import { addressOf, basePathOf } from '../config/own-address.ts';
import type { Context } from '../context.ts';
import type { Access, Grants } from '../http/access.ts';
import type { Answers, Returned } from '../http/answer.ts';
import { actorOf } from '../http/authorize.ts';
import { type HttpOperation, type Route, route } from '../http/route.ts';
import { serverUrl } from '../http/server-url.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Actor, AuditEntry } from '../store/admin/audit.ts';
import type { Key, ListedProject } from '../store/projects.ts';
import type { Store } from '../store/store.ts';

/** The project that a route of the dashboard is about. */
export const projectPath = '/v1/admin/projects/:projectId';

/** Settings with long lists, and private keys. */
export const maxBodyBytes = 256 * 1024;

/** The dependencies of an operation, for requests and commands alike. */
export interface Deps extends Pick<Context, 'config' | 'store' | 'now' | 'secrets'> {
  keyUses: Pick<Context['keyUses'], 'list'>;
  /** Entries of the audit list, by whom this is done. */
  entries: AuditEntries;
  /** The same of what is done step by step: with the first step that changes something. */
  once: ReturnType<typeof auditing>['once'];
  /** The same for what makes its own. */
  by(): Pick<AuditEntry, 'actor' | 'at'>;
  /** Resolves when it is asked to end: by a signal, or as its server stops or its client is gone. */
  untilStopped: Terminal['untilStopped'];
}

/** Of its caller what only requests have, such as a session, is for operations without a command. */
type Granted<A extends Access> = Omit<Grants[A], 'project' | 'key'> &
  (Grants[A] extends { project: unknown } ? { project: ListedProject } : unknown);

/** The caller, and the arguments of the call. */
export type Asked<A extends Access, Query = undefined, Body = undefined> = Granted<A> & {
  /** By their names in the path. */
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  actor: Actor | null;
  /** Null: there is none, but a session or the command line. */
  key: Key | null;
  /** Where browsers reach the server. */
  baseUrl: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

type Values<O extends Options> = { json?: boolean } & {
  [Name in keyof O]: O[Name] extends { type: 'boolean' }
    ? boolean | undefined
    : O[Name] extends { multiple: true }
      ? string[] | undefined
      : O[Name] extends { default: string }
        ? string
        : string | undefined;
};

/** The command line, and the result. */
export interface Typed<O extends Options> {
  values: Values<O>;
  /** By the names of operands. */
  operands: Readonly<Record<string, string>>;
  rest: readonly string[];
  now: number;
  baseUrl: string;
}

/** An option of a command. */
export interface Option {
  type: 'string' | 'boolean';
  multiple?: boolean;
  default?: string;
  /** The placeholder of its value in the help. */
  value?: string;
  /** Its description in the help, by line; empty: none. */
  says: string;
  /** One of this name is described with it. */
  with?: string;
  /** The command does not go without it, or without the other one of this name. */
  needed?: true | string;
  /** Of the query or the body; left out: it has the name of the option. */
  field?: string;
  /** A text before it in the help. */
  before?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The parts of a request that a command gives. */
export interface Given {
  /** Of the project; null: it is about all. Left out: the operand. */
  projectId?: string | null;
  /** The body is as the operation has it. */
  isRead?: true;
  params?: Record<string, string>;
  query?: unknown;
  body?: unknown;
}

/** The command of an operation: options are fields of its query or body, operands those of its path. */
export interface CommandPart<O extends Options, Reply> {
  /** Such as `annotation add`. */
  name: string;
  /** Left out: those of the path. */
  operands?: readonly string[];
  options?: O;
  /** In place of the text derived from operands and options. */
  usage?: string;
  /** It may be the first on a new installation. */
  isFirst?: true;
  /** Converts options to the operation's fields, where they differ. @throws UsageError */
  read?(typed: Typed<O>, terminal: Terminal): Given | Promise<Given>;
  /** The same, where the store has to be read for it. @throws CommandError */
  find?(store: Store, typed: Typed<O>, given: Given): Promise<Given>;
  /** For people. */
  print(reply: Reply, typed: Typed<O>): string;
  /** For programs; left out: as it is. */
  json?(reply: Reply, typed: Typed<O>): unknown;
}

interface Declared<A extends Access, As extends Answers, Query, Body, O extends Options, Result>
  extends Omit<HttpOperation<A, As, Query, Body>, 'handle'> {
  /** Left out: `route`. */
  via?: typeof route;
  /** Other addresses of the same. */
  also?: readonly (Pick<Route, 'name' | 'path' | 'access'> & Partial<Pick<Route, 'role' | 'scope'>>)[];
  /** The part of the server's memory that this changes. */
  refreshes?: 'registry' | 'sessions';
  /** The address of the added resource. */
  location?(result: Result, asked: Asked<A, Query, Body>): `/${string}`;
  run(deps: Deps, asked: Asked<A, Query, Body>): Result | Promise<Result>;
  command?: CommandPart<O, Exclude<Result, undefined>>;
}

/** For requests, models and the command line alike. */
export interface Operation extends Route {
  also: readonly Route[];
  run(deps: Deps, asked: never): unknown;
  command?: CommandPart<Options, never>;
}

function untilEnded(res: Response, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stopping.removeEventListener('abort', end);
      resolve();
    };
    stopping.addEventListener('abort', end);
    res.once('close', end);
    if (stopping.aborted || res.closed) end();
  });
}

/** Declares an operation once: its route, its tool and its command do the same. */
export function operation<
  A extends Access,
  const As extends Answers,
  Query = undefined,
  Body = undefined,
  const O extends Options = Record<never, never>,
>(declared: Declared<A, As, Query, Body, O, Returned<As>> & { reply?: never }): Operation;
/** The same of one that answers something else than its result. */
export function operation<
  A extends Access,
  const As extends Answers,
  Result,
  Query = undefined,
  Body = undefined,
  const O extends Options = Record<never, never>,
>(
  declared: Declared<A, As, Query, Body, O, Result> & {
    reply(
      result: NoInfer<Result>,
      context: Context,
      project: LiveProject,
    ): Returned<As> | Promise<Returned<As>>;
  },
): Operation;
export function operation<A extends Access, As extends Answers, Query, Body>(
  declared: Declared<A, As, Query, Body, Options, unknown> & {
    reply?(result: unknown, context: Context, project: LiveProject): Returned<As> | Promise<Returned<As>>;
  },
): Operation {
  const { via = route, also = [], refreshes, location, run, reply, command, ...described } = declared;
  const handle: HttpOperation<A, As, Query, Body>['handle'] = async (context, call) => {
    const { req, res } = call;
    const actor = actorOf(context, req);
    const asked = {
      ...call,
      actor,
      key: 'key' in call ? call.key : null,
      params: req.params as Record<string, string>,
      headers: req.headers,
      baseUrl: serverUrl(context, req),
    };
    const untilStopped = () => untilEnded(res, context.stopping.signal);
    const result = await run({ ...context, ...auditing(actor, context.now), untilStopped }, asked as never);
    if (refreshes) await context[refreshes].refresh();
    if (location) res.location(addressOf(basePathOf(context.config), location(result, asked as never)));
    return (
      reply
        ? await reply(result, context, (asked as { project?: LiveProject }).project as LiveProject)
        : result
    ) as Returned<As>;
  };
  const { tool: _tool, ...elsewhere } = described;
  return {
    ...via({ ...described, handle }),
    also: also.map((place) => via({ ...elsewhere, ...place, handle } as never)),
    run: run as Operation['run'],
    ...(command && { command: command as unknown as CommandPart<Options, never> }),
  };
}

/** The command of a report, which requests may have as a page or a file. */
export function withCommand<Result>(
  report: Route,
  run: (deps: Deps, asked: Asked<'project'>) => Promise<Result>,
  command: CommandPart<Record<never, never>, Result>,
): Operation {
  return { ...report, also: [], run, command: command as CommandPart<Options, never> };
}

/** With their other addresses. */
export const withAlso = (operations: readonly Operation[]): Route[] =>
  operations.flatMap((one) => [one, ...one.also]);
