import type { ShapeName } from './model-shapes.ts';

/** One server-sent event. */
export interface StreamEvent {
  event?: string;
  data: object | string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of four foreign APIs, which the scripted server wrote itself.
type Json = any;

/** An answer as the API sends it in pieces, of which texts and arguments of tools have several. */
export const streams: Record<ShapeName, (answer: Json, request: Json) => StreamEvent[]> = {
  chat,
  responses,
  anthropic,
  google,
};

export function writeEvent({ event, data }: StreamEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

function piecesOf(text: string): string[] {
  const length = Math.max(Math.ceil(text.length / 4), 1);
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}

/** https://platform.openai.com/docs/api-reference/chat/streaming */
function chat({ id, created, model, choices, usage }: Json, { stream_options }: Json): StreamEvent[] {
  const [{ message, finish_reason }] = choices;
  const chunk = (parts: object[], rest = {}) => ({
    data: { id, object: 'chat.completion.chunk', created, model, choices: parts, ...rest },
  });
  const delta = (value: object, reason: string | null = null) =>
    chunk([{ index: 0, delta: value, finish_reason: reason }]);
  const calls = (message.tool_calls ?? []).flatMap((call: Json, index: number) => [
    delta({ tool_calls: [{ ...call, index, function: { ...call.function, arguments: '' } }] }),
    ...piecesOf(call.function.arguments).map((piece) =>
      delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ]);
  return [
    delta({ role: 'assistant', content: '' }),
    ...piecesOf(message.content ?? '').map((content) => delta({ content })),
    ...calls,
    delta({}, finish_reason),
    ...(stream_options?.include_usage && usage ? [chunk([], { usage })] : []),
    { data: '[DONE]' },
  ];
}

/** https://platform.openai.com/docs/api-reference/responses-streaming */
function responses(response: Json): StreamEvent[] {
  const began = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const typed = (type: string, rest: object) => ({ type, ...rest });
  const items = response.output.flatMap((item: Json, output_index: number) => {
    const place = { item_id: item.id, output_index };
    const inside =
      item.type === 'message'
        ? piecesOf(item.content[0].text).map((delta) =>
            typed('response.output_text.delta', { ...place, content_index: 0, delta }),
          )
        : piecesOf(item.arguments).map((delta) =>
            typed('response.function_call_arguments.delta', { ...place, delta }),
          );
    const empty = item.type === 'message' ? { content: [] } : { arguments: '' };
    return [
      typed('response.output_item.added', {
        output_index,
        item: { ...item, ...empty, status: 'in_progress' },
      }),
      ...inside,
      typed('response.output_item.done', { output_index, item }),
    ];
  });
  const all = [
    typed('response.created', { response: began }),
    typed('response.in_progress', { response: began }),
    ...items,
    typed(`response.${response.status}`, { response }),
  ];
  return all.map((data, sequence_number) => ({ event: data.type, data: { ...data, sequence_number } }));
}

/** https://docs.anthropic.com/en/api/messages-streaming */
function anthropic({ content, stop_reason, stop_sequence, usage, ...message }: Json): StreamEvent[] {
  const blocks = content.flatMap((block: Json, index: number) => {
    const isText = block.type === 'text';
    const given = typeof block.input === 'string' ? block.input : JSON.stringify(block.input);
    return [
      {
        type: 'content_block_start',
        index,
        content_block: { ...block, ...(isText ? { text: '' } : { input: {} }) },
      },
      ...piecesOf(isText ? block.text : given).map((piece) => ({
        type: 'content_block_delta',
        index,
        delta: isText
          ? { type: 'text_delta', text: piece }
          : { type: 'input_json_delta', partial_json: piece },
      })),
      { type: 'content_block_stop', index },
    ];
  });
  const began = { ...message, content: [], stop_reason: null, stop_sequence: null };
  return [
    { type: 'message_start', message: { ...began, usage: { ...usage, output_tokens: 1 } } },
    { type: 'ping' },
    ...blocks,
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: 'message_stop' },
  ].map((data) => ({ event: data.type, data }));
}

/** https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent */
function google({ candidates, usageMetadata }: Json): StreamEvent[] {
  const [{ content, finishReason, index }] = candidates;
  const parts = content.parts.flatMap((part: Json) =>
    part.text === undefined ? [part] : piecesOf(part.text).map((text) => ({ text })),
  );
  const chunk = (part: object, rest = {}) => ({
    candidates: [{ index, content: { role: 'model', parts: [part] }, ...rest }],
    usageMetadata,
  });
  return [...parts.map((part: object) => chunk(part)), chunk({ text: '' }, { finishReason })].map((data) => ({
    data,
  }));
}
