// As cp_async.cu, but the wait leaves the group in flight.
#define GROUPS_IN_FLIGHT 1
#include "windows/cp_async.cu"
#undef GROUPS_IN_FLIGHT
