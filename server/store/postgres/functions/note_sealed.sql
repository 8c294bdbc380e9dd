-- After `seal_days`, and in a transaction of its own: servers of shards may be a moment late with what was committed.
create or replace function note_sealed(p_project text, p_through int) returns void language sql as $$
  update projects set sealed_through = p_through
  where public_id = p_project and coalesce(sealed_through < p_through, true)
$$;
