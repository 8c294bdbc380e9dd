-- The catalogue of AI clients that was loaded last, as it was signed.
create table loaded_catalogue (
  id integer primary key check (id = 1),
  version integer not null,
  signed text not null
) strict;
