import type { RequestListener } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { KeyScope } from '../../shared/accounts/key-scope.ts';
import type { Role } from '../../shared/accounts/role.ts';
import { auditedStore } from '../audit/audited-store.ts';
import type { Context } from '../context.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import { type Access, accessRules, type Grants } from './access.ts';
import { type Answers, type Returned, sendAnswer } from './answer.ts';
import { actorOf, mayBeNew, type Needs } from './authorize.ts';
import { jsonReader } from './json-body.ts';
import { parse } from './parse.ts';

/** GET brings HEAD with it. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** Parameters by their names. */
type QuerySchema<T> = z.ZodType<T> & { readonly shape: Readonly<Record<string, unknown>> };

interface Body<T> {
  schema: z.ZodType<T>;
  maxBytes: number;
  /** How it is called where it is refused; left out: `The body`. */
  subject?: string;
  /** It is read as JSON whatever its media type is said to be. */
  anyType?: true;
}

/** What can be asked for at an address. */
export interface Mounted {
  method: Method;
  path: string;
  handlerFor(context: Context): RequestHandler;
}

/** What an operation does: it reads, adds something, changes what is there, or ends it for good. */
export type Effect = 'reads' | 'adds' | 'changes' | 'ends';

/** How a model may ask for an operation: https://modelcontextprotocol.io/specification/2026-07-28 */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** Parameters and fields that are of no use to a model. */
  without?: readonly string[];
  /** It comes before all others. */
  isFirst?: true;
}

/** What can be told of an operation without running it; `/openapi.json` tells it. */
interface Description<Query, BodyValue> {
  /** Unique, such as `jobs.create`. */
  name: string;
  method: Method;
  path: string;
  access: Access;
  /** The least that users have to have in the project; left out: `viewer` for GET, `editor` for what changes something. */
  role?: Role;
  /** What a key has to be for, where keys are accepted (shared/accounts/key-scope.ts); left out: `admin`. */
  scope?: KeyScope;
  /** What it is for, in a line. */
  summary: string;
  /** What else a program should know, in Markdown. */
  description?: string;
  query?: QuerySchema<Query>;
  body?: Body<BodyValue>;
  /** Fields of the head that it goes by, and what they say. */
  headers?: Readonly<Record<string, string>>;
  answers: Answers;
  /** What it may refuse besides what its access, query and body tell already (description/refusals.ts). */
  refusals?: readonly ErrorCode[];
  /** Left out: by the method. */
  effect?: Effect;
  /** Left out: it is not for models. */
  tool?: Tool;
}

/** One operation of the HTTP interface, ready to be mounted. */
export interface Route extends Description<unknown, unknown>, Mounted {}

/** One that needs nothing of Express, so that it is answered before Express is loaded (app.ts). */
export interface PlainRoute extends Route {
  handlerFor(context: Context): RequestListener;
}

/** A request that may do what it asks for, with its query and body parsed. */
export type Call<A extends Access, Query = undefined, BodyValue = undefined> = Grants[A] & {
  req: Request;
  res: Response;
  query: Query;
  body: BodyValue;
  /** Whether it would be let in now, too: for what goes on while it is answered. */
  mayGoOn(): boolean;
};

export interface HttpOperation<A extends Access, As extends Answers, Query, BodyValue>
  extends Description<Query, BodyValue> {
  access: A;
  answers: As;
  /** Rejects parameters that it does not know; left out: they are ignored. @throws ApiError `invalid` */
  checkQuery?(query: object): void;
  /** Returns the body of its first answer, or nothing where that has none or was sent already. */
  handle(context: Context, call: Call<A, Query, BodyValue>): Returned<As> | Promise<Returned<As>>;
}

/** Who calls, then the body, then the query, and then the operation: in this order, whatever the operation. */
export function route<A extends Access, const As extends Answers, Query = undefined, BodyValue = undefined>(
  operation: HttpOperation<A, As, Query, BodyValue>,
): Route {
  const { handle, checkQuery, ...description } = operation;
  const { access, query, body, answers } = description;
  const readBody = body && bodyReader(body);
  return {
    ...description,
    handlerFor: (context) => async (req, res) => {
      // What not everybody may see stays in no cache.
      if (access !== 'anyone') res.set('Cache-Control', 'no-store');
      const granted = await grant(description, context, req);
      const read = (await readBody?.(req, res)) as BodyValue;
      checkQuery?.(req.query);
      const answered = await handle(changing(operation, context, req), {
        ...(granted as Grants[A] & object),
        req,
        res,
        mayGoOn: () => isGranted(description, context, req),
        body: read,
        query: (query && parse(query, req.query, 'The query')) as Query,
      });
      sendAnswer(res, answers, answered);
    },
  };
}

/** What is changed for somebody is noted as theirs. */
function changing(
  { method, access }: Pick<Route, 'method' | 'access'>,
  context: Context,
  req: Request,
): Context {
  if (method === 'GET' || access === 'anyone' || access === 'key' || access === 'signed') return context;
  const { store, now } = context;
  return { ...context, store: auditedStore(store, actorOf(context, req), now) };
}

const effects = { GET: 'reads', POST: 'adds', PATCH: 'changes', DELETE: 'ends', OPTIONS: 'reads' } as const;

export function effectOf({ method, effect }: Pick<Route, 'method' | 'effect'>): Effect {
  return effect ?? effects[method];
}

/** The least role that users need for it. */
export function roleFor({ method, role }: Pick<Route, 'method' | 'role'>): Role {
  return role ?? (method === 'GET' ? 'viewer' : 'editor');
}

/** What a key has to be for to be accepted. */
export function scopeFor({ scope }: Pick<Route, 'scope'>): KeyScope {
  return scope ?? 'admin';
}

type Guarded<A extends Access = Access> = Pick<Route, 'method' | 'role' | 'scope'> & { access: A };

/** @throws ApiError */
function check<A extends Access>(operation: Guarded<A>, context: Context, req: Request): Grants[A] {
  const needs: Needs = { role: roleFor(operation), scope: scopeFor(operation) };
  return accessRules[operation.access].check(context, req, needs);
}

function isGranted(operation: Guarded, context: Context, req: Request): boolean {
  try {
    check(operation, context, req);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Keys, projects and links that were made a moment ago, beside this server, are looked for once. @throws ApiError */
async function grant<A extends Access>(
  operation: Guarded<A>,
  context: Context,
  req: Request,
): Promise<Grants[A]> {
  try {
    return check(operation, context, req);
  } catch (error) {
    if (!mayBeNew(error, context, req)) throw error;
    await context.registry.catchUp();
    return check(operation, context, req);
  }
}

function bodyReader<T>({ schema, maxBytes, subject = 'The body' }: Body<T>) {
  const read = jsonReader(maxBytes);
  return async (req: Request, res: Response): Promise<T> => {
    const value = await read(req, res);
    return parse(schema, value === undefined ? {} : value, subject);
  };
}
