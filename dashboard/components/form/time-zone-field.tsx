import { t } from '../../texts/common.ts';
import { type FieldProps, TextField } from './field.tsx';

export function TimeZoneField(props: FieldProps) {
  return (
    <>
      <TextField label={t.timeZone} list="time-zones" required hint={t.timeZoneHint} {...props} />
      <datalist id="time-zones">
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
