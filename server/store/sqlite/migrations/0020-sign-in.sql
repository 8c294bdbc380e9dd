-- What accounts ask for besides the password.
create table second_factors (
  -- Null: the administrator's.
  user_id text references users (id) on delete cascade,
  -- What codes are made of, encrypted.
  secret blob not null,
  -- Of the last code that was accepted.
  last_step integer not null,
  -- JSON list of the SHA-256 of those that nobody has used.
  recovery_codes text not null
) strict;
create unique index second_factors_by_user on second_factors (coalesce(user_id, ''));

-- Accounts at providers that users sign in by.
create table sign_ons (
  issuer text not null,
  -- How the provider calls the account.
  subject text not null,
  user_id text not null references users (id) on delete cascade,
  primary key (issuer, subject)
) strict, without rowid;
create unique index sign_ons_by_user on sign_ons (user_id, issuer);
