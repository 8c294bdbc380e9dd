alter function goal_sums(
  int[], int, int[], text[], int[], int[], text[], int[], int[], int[], int[]
) set plan_cache_mode = force_custom_plan;
