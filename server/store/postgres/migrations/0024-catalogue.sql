-- The catalogue of AI clients that was loaded last, as it was signed. It lay among the lists of addresses.
create table loaded_catalogue (
  id int primary key check (id = 1),
  version int not null,
  signed text not null
);
insert into loaded_catalogue (id, version, signed)
  select 1, as_of::int, text from range_copies where feed = 'catalogue';
delete from range_copies where feed = 'catalogue';
