-- From here on no view is counted on the project's days up to this one, and none of them is opened. Answers those that are
-- to be sealed, also what an earlier call left behind.
create or replace function close_days(p_project text, p_through int)
returns table (id int, day int) language plpgsql as $$
declare
  v_project int := (select p.id from projects p where p.public_id = p_project);
begin
  perform pg_advisory_xact_lock(2, v_project);
  update projects p set closed_through = p_through where p.id = v_project and coalesce(p.closed_through < p_through, true);
  update days d set salt = null where d.project = v_project and d.day <= p_through and d.forget_at is null and d.salt is not null;
  return query select d.id, d.day from days d
    where d.project = v_project and d.day <= p_through and d.forget_at is null order by d.day;
end $$;
