import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { submit } from '../components/form.tsx';
import { addDays } from '../formats/day.ts';
import { type Range, rangeNames, standardRange } from '../formats/range.ts';
import { Link, useRouter } from '../router/router.tsx';

/** The choice of days: links, so that each range has an address of its own. */
export function RangePicker({ range, today }: { range: Range; today: string }) {
  const { hrefWith } = useRouter();
  const [isChoosing, setChoosing] = useState(false);
  const list = useRef<HTMLElement>(null);
  // On a narrow page the list is scrolled sideways.
  useEffect(() => {
    const chosen = list.current?.querySelector('[aria-current],[aria-pressed=true]') as HTMLElement | null;
    if (list.current && chosen) list.current.scrollLeft = chosen.offsetLeft - list.current.offsetLeft - 60;
  }, [range.key]);
  const isCustom = !(range.key in rangeNames);
  return (
    <>
      <nav ref={list} class="segments" aria-label="Time range">
        {Object.entries(rangeNames).map(([key, name]) => (
          <Link
            key={key}
            href={hrefWith({ range: key === standardRange ? null : key, page: null })}
            aria-current={range.key === key ? 'true' : undefined}
          >
            {name}
          </Link>
        ))}
        <button type="button" aria-pressed={isCustom} onClick={() => setChoosing(true)}>
          Custom…
        </button>
      </nav>
      {isChoosing && <CustomRange range={range} today={today} onClose={() => setChoosing(false)} />}
    </>
  );
}

function CustomRange({ range, today, onClose }: { range: Range; today: string; onClose: () => void }) {
  const { navigate, hrefWith } = useRouter();
  const [from, setFrom] = useState(range.from ?? addDays(today, -29));
  const [to, setTo] = useState(addDays(range.to, -1));
  const isBackward = from > to;
  const choose = () => {
    if (isBackward) return;
    onClose();
    navigate(hrefWith({ range: `${from}..${to}`, page: null }));
  };
  return (
    <Dialog title="Choose days" onClose={onClose}>
      <form class="form" onSubmit={submit(choose)}>
        <div class="side-by-side">
          <TextField
            label="First day"
            type="date"
            name="from"
            value={from}
            onText={setFrom}
            required
            max={today}
          />
          <TextField
            label="Last day"
            type="date"
            name="to"
            value={to}
            onText={setTo}
            required
            max={today}
            fault={isBackward ? 'The last day is before the first day.' : undefined}
          />
        </div>
        <div class="actions">
          <button type="submit" class="primary">
            Show these days
          </button>
        </div>
      </form>
    </Dialog>
  );
}
