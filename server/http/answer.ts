import type { Request, Response } from 'express';
import type { z } from 'zod';
import { sendJson } from './compression.ts';

/** The successful response of an operation. */
export interface Answer<T = unknown> {
  /** What it means, as a sentence or the name of a thing. */
  says: string;
  /** A body of JSON. */
  json?: () => z.ZodType<T>;
  /** Bodies that are no JSON, which the operation sends itself. */
  types?: readonly string[];
  /** Response headers for programs, with their meaning. */
  headers?: Readonly<Record<string, string>>;
}

/** By status. What an operation returns is sent with the lowest. */
export type Answers = Readonly<Record<number, Answer>>;

type BodyOf<A> = A extends { json: () => z.ZodType<infer T> }
  ? A extends { types: readonly string[] }
    ? T | undefined
    : T
  : // biome-ignore lint/suspicious/noConfusingVoidType: what a function without a return returns
    void;

/** What the handler of such an operation returns: nothing where it sent the answer itself, or where there is no body. */
export type Returned<As extends Answers> = BodyOf<As[keyof As]>;

/** Sends the value that an operation returned, unless it sent the response itself. */
export async function sendAnswer(
  req: Request,
  res: Response,
  answers: Answers,
  body: unknown,
): Promise<void> {
  const [status] = Object.keys(answers).map(Number) as [number];
  const { json, types } = answers[status] as Answer;
  if (body !== undefined) await sendJson(req, res.status(status), body);
  else if (!json && !types && !res.headersSent) res.status(status).end();
}
