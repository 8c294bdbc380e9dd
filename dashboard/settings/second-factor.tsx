import { useState } from 'preact/hooks';
import type { FactorReply } from '../../shared/accounts/second-factor.ts';
import { useResource } from '../api/resource.ts';
import { lazy } from '../components/lazy.tsx';
import { Loaded } from '../components/notice.tsx';
import { t } from '../texts/installation.ts';
import { fill, plural } from '../texts/part.ts';
import { factorPath, NewCodes, RecoveryCodes, TurnOff } from './factor-dialogs.tsx';

/** Few come to it, and it draws a picture. */
const TurnOn = lazy(async () => (await import('./factor-setup.tsx')).TurnOn, null);

type Asked = 'on' | 'off' | 'codes' | { recoveryCodes: readonly string[] };

/** Whether signing in takes a code besides the user's password. */
export function SecondFactor({ name }: { name: string | null }) {
  const resource = useResource<FactorReply>(factorPath);
  const [asked, setAsked] = useState<Asked>();
  // A dialog that gave way to the next one still says that it was closed.
  const close = () => setAsked((now) => (now === asked ? undefined : now));
  const done = (next?: Asked) => {
    resource.reload();
    setAsked(next);
  };
  return (
    <section class="card" id="second-factor" aria-labelledby="second-factor-title">
      <h2 id="second-factor-title">{t.secondFactor}</h2>
      <Loaded resource={resource} lines={2}>
        {(factor) => <State factor={factor} onAsked={setAsked} />}
      </Loaded>
      {asked === 'on' && <TurnOn name={name} onDone={done} onClose={close} />}
      {asked === 'codes' && <NewCodes name={name} onDone={done} onClose={close} />}
      {asked === 'off' && <TurnOff name={name} onDone={done} onClose={close} />}
      {typeof asked === 'object' && <RecoveryCodes codes={asked.recoveryCodes} onClose={close} />}
    </section>
  );
}

interface StateProps {
  factor: FactorReply;
  onAsked: (asked: Asked) => void;
}

function State({ factor: { isOn, recoveryCodes }, onAsked }: StateProps) {
  if (!isOn) {
    return (
      <>
        <p class="hint">{t.offWithItSigningInTakesYour}</p>
        <div class="actions">
          <button type="button" onClick={() => onAsked('on')}>
            {t.turnOnTheSecondFactor}
          </button>
        </div>
      </>
    );
  }
  return (
    <>
      <p class="hint">
        {fill(t.onSigningInTakesACodeOfYour, {
          recoveryCodes: plural(t.recoveryCodesLeft, recoveryCodes),
        })}
      </p>
      <div class="actions">
        <button type="button" onClick={() => onAsked('codes')}>
          {t.newRecoveryCodes}
        </button>
        <button type="button" onClick={() => onAsked('off')}>
          {t.turnOffFactor}
        </button>
      </div>
    </>
  );
}
