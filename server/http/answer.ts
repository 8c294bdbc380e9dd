import type { Response } from 'express';
import type { z } from 'zod';

/** What an operation answers where it does what it was asked for. */
export interface Answer<T = unknown> {
  /** What it means, as a sentence or the name of a thing. */
  says: string;
  /** A body of JSON. Its schema is loaded when somebody asks for the description. */
  json?: () => Promise<z.ZodType<T>>;
  /** Bodies that are no JSON, which the operation sends itself. */
  types?: readonly string[];
  /** Fields of the head that a program may go by, and what they say. */
  headers?: Readonly<Record<string, string>>;
}

/** By status. What an operation returns is sent with the lowest. */
export type Answers = Readonly<Record<number, Answer>>;

type BodyOf<A> = A extends { json: () => Promise<z.ZodType<infer T>> }
  ? A extends { types: readonly string[] }
    ? T | undefined
    : T
  : // biome-ignore lint/suspicious/noConfusingVoidType: what a function without a return returns
    void;

/** What the handler of such an operation returns: nothing where it sent the answer itself, or where there is no body. */
export type Returned<As extends Answers> = BodyOf<As[keyof As]>;

/** Sends what an operation returned, if it did not answer by itself. */
export function sendAnswer(res: Response, answers: Answers, body: unknown): void {
  const [status] = Object.keys(answers).map(Number) as [number];
  const { json, types } = answers[status] as Answer;
  if (body !== undefined) res.status(status).json(body);
  else if (!json && !types && !res.headersSent) res.status(status).end();
}
