-- What transactions added to pairs on open days, until it is added up and goes to `counts`: names one after the other, each as
-- numbers of variable length (LEB128): what, parent and name as in `counts`, and its five sums.
create table pending_counts (
  id integer primary key,
  project integer not null references projects (id) on delete cascade,
  day integer not null,
  sums blob not null
) strict;
