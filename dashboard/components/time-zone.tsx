import { TextField } from './field.tsx';

interface TimeZoneProps {
  value: string;
  onText: (text: string) => void;
  fault?: string | undefined;
}

export function TimeZoneField({ value, onText, fault }: TimeZoneProps) {
  return (
    <>
      <TextField
        label="Time zone"
        name="timeZone"
        value={value}
        onText={onText}
        list="time-zones"
        required
        hint="Days begin and end here. What was counted already stays with its day."
        fault={fault}
      />
      <datalist id="time-zones">
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
