import { useEffect, useState } from 'preact/hooks';
import { t } from '../texts/common.ts';
import { fill } from '../texts/part.ts';
import { Icon } from './icon.tsx';

/** Only secure pages have a clipboard; elsewhere the old command does it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  // A dialog makes all outside of it inert.
  const parent = document.querySelector('dialog[open]') ?? document.body;
  const focused = document.activeElement as HTMLElement | null;
  parent.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  focused?.focus();
  return isDone;
}

interface CopyProps {
  text: string;
  what: string;
  /** It has just been, without this button. */
  isCopied?: boolean;
}

export function CopyButton({ text, what, isCopied = false }: CopyProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>(isCopied ? 'copied' : 'ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), 2500);
    return () => clearTimeout(timer);
  }, [state]);
  const press = async () => setState((await copy(text)) ? 'copied' : 'failed');
  return (
    <button
      type="button"
      class="small copy"
      onClick={press}
      aria-label={isCopied && state !== 'ready' ? undefined : fill(t.copyWhat, { what })}
    >
      <Icon name={state === 'copied' ? 'done' : 'copy'} />
      <span role="status">{{ ready: t.copy, copied: t.copied, failed: t.copyItByHand }[state]}</span>
    </button>
  );
}

/** Text to be copied. */
export function Code({ text, what, isCopied = false }: CopyProps) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard too */}
      <section class="code-text" tabIndex={0} aria-label={what}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <CopyButton text={text} what={what} isCopied={isCopied} />
    </div>
  );
}
