import type { RequestListener } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { KeyScope } from '../../shared/accounts/key-scope.ts';
import type { Role } from '../../shared/accounts/role.ts';
import type { Context } from '../context.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import { boundJson } from '../text/bounded-json.ts';
import { type Access, accessRules, type Grants } from './access.ts';
import { type Answers, type Returned, sendAnswer } from './answer.ts';
import { mayBeNew, type Needs } from './authorize.ts';
import { parse, parseJson, toText, whenTooLarge } from './parse.ts';

/** GET brings HEAD with it. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** Parameters by their names. */
type QuerySchema<T> = z.ZodType<T> & { readonly shape: Readonly<Record<string, unknown>> };

interface Body<T> {
  schema: z.ZodType<T>;
  maxBytes: number;
  /** Its name in errors; left out: `The body`. */
  subject?: string;
  /** Read as JSON whatever its media type. */
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

/** The description of an operation, as in `/openapi.json`. */
interface Description<Query, BodyValue> {
  /** Unique, such as `jobs.create`. */
  name: string;
  method: Method;
  path: string;
  access: Access;
  /** The lowest role that users need in the project; left out: `viewer` for GET, `editor` otherwise. */
  role?: Role;
  /** The scope of keys, where keys are accepted (shared/accounts/key-scope.ts); left out: `admin`. */
  scope?: KeyScope;
  /** What it does, in a line. */
  summary: string;
  /** Further description, in Markdown. */
  description?: string;
  query?: QuerySchema<Query>;
  body?: Body<BodyValue>;
  /** Request headers that it reads, with their meaning. */
  headers?: Readonly<Record<string, string>>;
  answers: Answers;
  /** The errors that do not follow from its access, query and body (description/refusals.ts). */
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
  /** Whether it would still be authorized now: for responses that take long. */
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

/** Checks the caller, then the body, then the query, and runs the operation: always in this order. */
export function route<A extends Access, const As extends Answers, Query = undefined, BodyValue = undefined>(
  operation: HttpOperation<A, As, Query, BodyValue>,
): Route {
  const { handle, checkQuery, ...description } = operation;
  const { access, query, body, answers } = description;
  const readBody = body && bodyReader(body);
  return {
    ...description,
    handlerFor: (context) => async (req, res) => {
      // Responses that need access are not cached.
      if (access !== 'anyone') res.set('Cache-Control', 'no-store');
      const granted = await grant(description, context, req);
      const read = (await readBody?.(req, res)) as BodyValue;
      checkQuery?.(req.query);
      const answered = await handle(context, {
        ...(granted as Grants[A] & object),
        req,
        res,
        mayGoOn: () => isGranted(description, context, req),
        body: read,
        query: (query && parse(query, req.query, 'The query')) as Query,
      });
      await sendAnswer(req, res, answers, answered);
    },
  };
}

const effects = { GET: 'reads', POST: 'adds', PATCH: 'changes', DELETE: 'ends', OPTIONS: 'reads' } as const;

export function effectOf({ method, effect }: Pick<Route, 'method' | 'effect'>): Effect {
  return effect ?? effects[method];
}

/** The least role that users need for it. */
export function roleFor({ method, role }: Pick<Route, 'method' | 'role'>): Role {
  return role ?? (method === 'GET' ? 'viewer' : 'editor');
}

/** The scope that a key needs. */
export function scopeFor({ scope }: Pick<Route, 'scope'>): KeyScope {
  return scope ?? 'admin';
}

type Guarded<A extends Access = Access> = Pick<Route, 'method' | 'role' | 'scope'> & { access: A };

/** @throws ApiError */
function check<A extends Access>(operation: Guarded<A>, context: Context, req: Request): Grants[A] {
  const needs: Needs = { role: roleFor(operation), scope: scopeFor(operation) };
  return accessRules[operation.access].check(context, req, needs);
}

/** Whether the caller of a request may do something else, too. */
export function isGranted(operation: Guarded, context: Context, req: Request): boolean {
  try {
    check(operation, context, req);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Keys, projects and links that another process made just now are looked up once more. @throws ApiError */
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

/**
 * Reads JSON of at most so many bytes, packed or not. Undefined: the body is empty.
 *
 * @throws ApiError `unsupported_type`, `invalid`, and what the parser of Express throws
 */
function jsonReader(maxBytes: number): (req: Request, res: Response) => Promise<unknown> {
  let read: RequestHandler | undefined;
  return async (req, res) => {
    requireJson(req);
    // Commands know what an operation takes, and read no request.
    read ??= (await import('express')).default.raw({ limit: maxBytes, type: () => true });
    const bytes = await new Promise<Buffer | undefined>((resolve, reject) => {
      // The parser of Express reads all of a body that is too large before it says so.
      whenTooLarge(req, maxBytes, reject);
      read?.(req, res, (error?: unknown) => (error === undefined ? resolve(req.body) : reject(error)));
    });
    if (bytes === undefined || bytes.length === 0) return undefined;
    const text = toText(bytes);
    if (text instanceof ApiError) throw text;
    await boundJson(text).catch(tooComplex);
    return parseJson(text);
  };
}

function tooComplex(error: Error): never {
  throw new ApiError('invalid', `The body cannot be read: ${error.message.replace(/^It/, 'it')}`);
}

function requireJson(req: Request): void {
  if (!req.is('application/json')) {
    throw new ApiError(
      'unsupported_type',
      'The body must be JSON, sent with "Content-Type: application/json".',
    );
  }
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(req.get('content-type') ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new ApiError('unsupported_type', 'The body must be JSON in UTF-8.');
  }
}
