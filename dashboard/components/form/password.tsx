import { t } from '../../texts/common.ts';
import type { FieldProps } from './field.tsx';
import { TextField } from './field.tsx';

/** For password managers, which keep a password with a user name. */
export function UserName({ name = 'administrator' }: { name?: string | undefined }) {
  return <input type="text" name="username" autocomplete="username" value={name} hidden readOnly />;
}

interface PasswordProps extends FieldProps {
  label: string;
}

/** A password that exists already. */
export function PasswordField(props: PasswordProps) {
  return <TextField type="password" autocomplete="current-password" required {...props} />;
}

/** A password to be set. */
export function NewPasswordField(props: PasswordProps & { hint?: string }) {
  return (
    <TextField
      type="password"
      autocomplete="new-password"
      minLength={10}
      maxLength={1000}
      required
      {...props}
    />
  );
}

/** A code of the second factor. */
export function CodeField({ mayRecover = false, ...props }: FieldProps & { mayRecover?: boolean }) {
  return (
    <TextField
      label={t.code}
      autocomplete="one-time-code"
      autocapitalize="none"
      spellcheck={false}
      maxLength={100}
      required
      hint={mayRecover ? t.sixDigitsOrRecoveryCode : t.sixDigits}
      {...props}
    />
  );
}
