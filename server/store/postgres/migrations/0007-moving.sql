-- One row while an installation is being moved here: what is there is not whole yet, and no server may use it.
create table moving (
  begun_at timestamptz not null default now()
);
