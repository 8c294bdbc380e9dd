/** What a scripted model answers, whatever API it is asked through. */
export interface ScriptedAnswer {
  text?: string;
  calls?: ScriptedCall[];
  finish?: 'whole' | 'cut' | 'refused';
  /** Null: the server reports no usage. */
  tokens?: { input: number; output: number; cached?: number; written?: number } | null;
}

interface ScriptedCall {
  tool: string;
  /** A string is sent as it is, where the API carries arguments as text. */
  input: object | string;
}

/** What a client asked, whatever API it asked through. */
export interface ModelQuestion {
  instructions: string;
  tools: string[];
  /** Texts of the user, oldest first. */
  prompts: string[];
  /** Outputs of all tools so far, oldest first. */
  results: string[];
}

interface Shape {
  /** How the path of a request ends. */
  path: RegExp;
  read: (body: Json) => ModelQuestion;
  write: (answer: ScriptedAnswer, id: () => string) => object;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of four foreign APIs, read only where the tests look at them.
type Json = any;

export type ShapeName = 'chat' | 'responses' | 'anthropic' | 'google';

const defaultTokens: NonNullable<ScriptedAnswer['tokens']> = { input: 1_000, output: 100 };

function textOf(content: Json): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part: Json) => part.text ?? '').join('');
}

/** https://platform.openai.com/docs/api-reference/chat/create */
const chat: Shape = {
  path: /\/chat\/completions$/,
  read: ({ messages, tools = [] }) => {
    const of = (role: string) =>
      messages.filter((message: Json) => message.role === role).map((m: Json) => textOf(m.content));
    return {
      instructions: [...of('system'), ...of('developer')].join('\n'),
      tools: tools.map((tool: Json) => tool.function.name),
      prompts: of('user'),
      results: of('tool'),
    };
  },
  write: ({ text, calls = [], finish, tokens = defaultTokens }, id) => ({
    id: id(),
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'scripted',
    choices: [
      {
        index: 0,
        finish_reason:
          { cut: 'length', refused: 'content_filter', whole: undefined }[finish ?? 'whole'] ??
          (calls.length > 0 ? 'tool_calls' : 'stop'),
        message: {
          role: 'assistant',
          content: text ?? null,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ tool, input }) => ({
              id: id(),
              type: 'function',
              function: { name: tool, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
            })),
          }),
        },
      },
    ],
    ...(tokens && {
      usage: {
        prompt_tokens: tokens.input,
        completion_tokens: tokens.output,
        total_tokens: tokens.input + tokens.output,
        prompt_tokens_details: { cached_tokens: tokens.cached ?? 0 },
      },
    }),
  }),
};

/** https://platform.openai.com/docs/api-reference/responses/create */
const responses: Shape = {
  path: /\/responses$/,
  read: ({ input, tools = [] }) => {
    const of = (role: string) =>
      input.filter((item: Json) => item.role === role).map((item: Json) => textOf(item.content));
    return {
      instructions: [...of('system'), ...of('developer')].join('\n'),
      tools: tools.map((tool: Json) => tool.name),
      prompts: of('user'),
      results: input
        .filter((item: Json) => item.type === 'function_call_output')
        .map((item: Json) => textOf(item.output)),
    };
  },
  write: ({ text, calls = [], finish, tokens = defaultTokens }, id) => ({
    id: id(),
    object: 'response',
    created_at: 1_790_000_000,
    model: 'scripted',
    status: finish === 'cut' ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: finish === 'cut' ? { reason: 'max_output_tokens' } : null,
    output: [
      ...(text === undefined
        ? []
        : [
            {
              type: 'message',
              id: id(),
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text, annotations: [] }],
            },
          ]),
      ...calls.map(({ tool, input }) => ({
        type: 'function_call',
        id: id(),
        call_id: id(),
        name: tool,
        arguments: typeof input === 'string' ? input : JSON.stringify(input),
        status: 'completed',
      })),
    ],
    usage: {
      input_tokens: tokens?.input ?? 0,
      input_tokens_details: { cached_tokens: tokens?.cached ?? 0 },
      output_tokens: tokens?.output ?? 0,
    },
  }),
};

/** https://docs.anthropic.com/en/api/messages */
const anthropic: Shape = {
  path: /\/v1\/messages$/,
  read: ({ system, messages, tools = [] }) => {
    const parts = messages
      .filter((message: Json) => message.role === 'user')
      .flatMap((message: Json) =>
        typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content,
      );
    return {
      instructions: textOf(system),
      tools: tools.map((tool: Json) => tool.name),
      prompts: parts.filter((part: Json) => part.type === 'text').map((part: Json) => part.text),
      results: parts
        .filter((part: Json) => part.type === 'tool_result')
        .map((part: Json) => textOf(part.content)),
    };
  },
  write: ({ text, calls = [], finish, tokens: given }, id) => {
    const { input, output, cached = 0, written = 0 } = given ?? defaultTokens;
    return {
      id: id(),
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [
        ...(text === undefined ? [] : [{ type: 'text', text }]),
        ...calls.map(({ tool, input }) => ({ type: 'tool_use', id: id(), name: tool, input })),
      ],
      stop_reason:
        { cut: 'max_tokens', refused: 'refusal', whole: undefined }[finish ?? 'whole'] ??
        (calls.length > 0 ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      usage: {
        // Here they are distinguished.
        input_tokens: input - cached - written,
        output_tokens: output,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: written,
      },
    };
  },
};

/** https://ai.google.dev/api/generate-content */
const google: Shape = {
  path: /:(generateContent|streamGenerateContent\?alt=sse)$/,
  read: ({ systemInstruction, contents, tools = [] }) => {
    const parts = contents
      .filter((content: Json) => content.role === 'user')
      .flatMap((content: Json) => content.parts);
    return {
      instructions: textOf(systemInstruction?.parts),
      tools: [tools]
        .flat()
        .flatMap((tool: Json) => (tool.functionDeclarations ?? []).map((one: Json) => one.name)),
      prompts: parts.filter((part: Json) => 'text' in part).map((part: Json) => part.text),
      results: parts
        .filter((part: Json) => 'functionResponse' in part)
        .map((part: Json) => String(part.functionResponse.response.content)),
    };
  },
  write: ({ text, calls = [], finish, tokens = defaultTokens }) => ({
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts: [
            ...(text === undefined ? [] : [{ text }]),
            ...calls.map(({ tool, input }) => ({ functionCall: { name: tool, args: input } })),
          ],
        },
        finishReason: { cut: 'MAX_TOKENS', refused: 'SAFETY', whole: 'STOP' }[finish ?? 'whole'],
      },
    ],
    usageMetadata: {
      promptTokenCount: tokens?.input ?? 0,
      cachedContentTokenCount: tokens?.cached ?? 0,
      candidatesTokenCount: tokens?.output ?? 0,
    },
  }),
};

export const shapes: Record<ShapeName, Shape> = { chat, responses, anthropic, google };
