import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { EventReply, EventsReply } from '../../shared/job.ts';
import { type Refusal, useTools } from './api.tsx';

export interface TranscriptReading {
  events: EventReply[];
  failure: Refusal | undefined;
  retry(): void;
}

const perRead = 1000;
const againMs = 3000;

/**
 * All that has happened in a job, and what happens while it is active. The first part is read as a list; the browser
 * itself connects a broken stream again, from the last event that came.
 *
 * @param onEnd the job rests.
 */
export function useTranscript(
  path: string | undefined,
  isActive: boolean,
  onEnd: () => void,
): TranscriptReading {
  const { api } = useTools();
  const [events, setEvents] = useState<EventReply[]>([]);
  const [failure, setFailure] = useState<Refusal>();
  const [round, setRound] = useState(0);
  const last = useRef(0);
  const add = useCallback((more: EventReply[]) => {
    const news = more.filter(({ number }) => number > last.current);
    last.current = news.at(-1)?.number ?? last.current;
    if (news.length > 0) setEvents((before) => [...before, ...news]);
  }, []);
  // A new round tries the same again.
  useEffect(() => {
    if (path === undefined) return;
    const controller = new AbortController();
    let stream: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onClosed = () => {
      onEnd();
      timer = setTimeout(() => setRound((before) => before + 1), againMs);
    };
    const read = async () => {
      setFailure(undefined);
      for (let hasMore = true; hasMore; ) {
        const query = `?limit=${perRead}&after=${last.current}`;
        const reply = await api.get<EventsReply>(`${path}/events${query}`, controller.signal);
        add(reply.events);
        hasMore = reply.hasMore;
      }
      if (isActive && !controller.signal.aborted)
        stream = follow(`${path}/events?after=${last.current}`, { add, onEnd, onClosed });
    };
    read().catch((error: Refusal) => controller.signal.aborted || setFailure(error));
    return () => {
      controller.abort();
      clearTimeout(timer);
      stream?.close();
    };
  }, [api, path, isActive, round, add, onEnd]);
  return { events, failure, retry: () => setRound((before) => before + 1) };
}

interface Followers {
  add: (events: EventReply[]) => void;
  onEnd: () => void;
  /** The browser gives the stream up: the job rested before it began, or somebody is signed out. Asking tells which. */
  onClosed: () => void;
}

function follow(address: string, { add, onEnd, onClosed }: Followers): EventSource {
  const stream = new EventSource(address);
  stream.onmessage = ({ data }) => add([JSON.parse(data)]);
  stream.addEventListener('end', () => {
    stream.close();
    onEnd();
  });
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) onClosed();
  };
  return stream;
}
