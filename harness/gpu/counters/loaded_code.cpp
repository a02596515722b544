#if defined(WARPCLOCK_HAVE_CUPTI)

#include "gpu/counters/loaded_code.hpp"

#include "gpu/counters/cupti_library.hpp"

namespace warpclock {
namespace {

void CUPTIAPI keep_cubin(void* cubin, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
  const auto* resource = static_cast<const CUpti_ResourceData*>(data);
  const auto* loaded = static_cast<const CUpti_ModuleResourceData*>(resource->resourceDescriptor);
  if (loaded == nullptr || loaded->pCubin == nullptr) return;
  static_cast<std::string*>(cubin)->assign(loaded->pCubin, loaded->cubinSize);
}

}  // namespace

Expected<std::string> loaded_code(const std::function<Expected<void>()>& load) {
  if (!cupti_library()) return std::unexpected(cupti_library().error());
  std::string cubin;
  CUpti_SubscriberHandle subscriber = nullptr;
  WARPCLOCK_TRY(check_cupti(cupti().cuptiSubscribe(&subscriber, keep_cubin, &cubin), "subscribing to loaded modules"));
  Expected<void> done = check_cupti(
      cupti().cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED),
      "subscribing to loaded modules");
  if (done) done = load();
  // The callback writes to a variable of this function, so it must end with it.
  const auto ended = check_cupti(cupti().cuptiUnsubscribe(subscriber), "unsubscribing");
  if (!done) return std::unexpected(done.error());
  if (!ended) return std::unexpected(ended.error());
  if (cubin.empty()) return fail(ErrorCode::Counters, "CUPTI showed no machine code of the module that was loaded");
  return cubin;
}

}  // namespace warpclock

#endif
