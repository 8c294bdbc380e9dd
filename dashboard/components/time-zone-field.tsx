import { type FieldProps, TextField } from './field.tsx';

export function TimeZoneField(props: FieldProps) {
  return (
    <>
      <TextField
        label="Time zone"
        list="time-zones"
        required
        hint="Days begin and end at its midnight. Views that are already counted stay with their day."
        {...props}
      />
      <datalist id="time-zones">
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
