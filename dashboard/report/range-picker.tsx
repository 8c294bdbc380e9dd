import { useState } from 'preact/hooks';
import { useChosenInSight } from '../components/chosen-in-sight.ts';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/form/field.tsx';
import { submit } from '../components/form/form.tsx';
import { addDays } from '../formats/day.ts';
import { type Range, rangeKeys, standardRange } from '../formats/range.ts';
import { Link, useRouter } from '../router/router.tsx';
import { t } from '../texts/report.ts';

/** The choice of days: links, so that each range has an address of its own. */
export function RangePicker({ range, today }: { range: Range; today: string }) {
  const { hrefWith } = useRouter();
  const [isChoosing, setChoosing] = useState(false);
  const list = useChosenInSight(range.key);
  const isCustom = !rangeKeys.some((key) => key === range.key);
  return (
    <>
      <nav ref={list} class="segments" aria-label={t.timeRange}>
        {rangeKeys.map((key) => (
          <Link
            key={key}
            href={hrefWith({ range: key === standardRange ? null : key, page: null })}
            aria-current={range.key === key ? 'true' : undefined}
          >
            {t.ranges[key]}
          </Link>
        ))}
        <button type="button" aria-pressed={isCustom} onClick={() => setChoosing(true)}>
          {t.custom}
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
    <Dialog title={t.chooseDays} onClose={onClose}>
      <form class="form" onSubmit={submit(choose)}>
        <div class="side-by-side">
          <TextField
            label={t.firstDay}
            type="date"
            name="from"
            value={from}
            onText={setFrom}
            required
            max={today}
          />
          <TextField
            label={t.lastDay}
            type="date"
            name="to"
            value={to}
            onText={setTo}
            required
            max={today}
            fault={isBackward ? t.theLastDayIsBeforeTheFirst : undefined}
          />
        </div>
        <div class="actions">
          <button type="submit" class="primary">
            {t.showTheseDays}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
