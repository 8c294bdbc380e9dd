-- Nobody counts on the project until the end of the transaction, and its names may be moved and deleted. Whoever was about
-- to count looks for them again.
create or replace function hold_counting(p_project int) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(3, p_project);
  perform pg_advisory_xact_lock(2, p_project);
  -- First, as nobody opens a day from here on, of whose batches nobody would wait for the end.
  update projects set name_changes = name_changes + 1 where id = p_project;
  perform await_batches(array(select id from days where project = p_project));
end $$;
