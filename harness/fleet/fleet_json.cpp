#include "base/json/json_text.hpp"
#include "fleet/fleet_text.hpp"
#include "fleet/judge.hpp"

namespace warpclock {
namespace {

Json gpu_json(const Fleet& fleet, const FleetGpu& gpu) {
  Json json = {{"label", gpu.label},
               {"model", fleet.models[gpu.model].name},
               {"host", gpu.host},
               {"uuid", gpu.device.uuid},
               {"serial", gpu.device.serial},
               {"pci", gpu.device.pci},
               {"board", gpu.device.board},
               {"vbios", gpu.device.vbios},
               {"driver", gpu.device.driver},
               {"ecc", gpu.device.ecc},
               {"memory_errors", gpu.device.memory_errors},
               {"folder", gpu.folder},
               {"date", gpu.date},
               {"records", gpu.records},
               {"rows", gpu.measured},
               {"not_measured", gpu.not_measured},
               {"outliers", gpu.outliers},
               {"sm_mhz", gpu.sm_mhz},
               {"throttled_rows", gpu.throttled},
               {"throttle", gpu.throttle},
               {"power_w", gpu.power_w},
               {"temperature_c", gpu.temperature_c}};
  return json;
}

Json row_json(const FleetRow& row) {
  Json json = {{"id", row.id},       {"estimate", row.estimate},
               {"unit", row.unit},   {"kind", word(row.kind)},
               {"gpus", row.gpus},   {"median", row.median},
               {"sigma", row.sigma}, {"min", row.low},
               {"max", row.high},    {"repeatability", row.repeatability}};
  if (row.not_judged.empty()) {
    json["threshold"] = row.threshold;
    json["detects"] = row.detects;
    json["outliers"] = row.outliers;
  } else {
    json["not_judged"] = row.not_judged;
  }
  return json;
}

Json models_json(const Fleet& fleet) {
  Json all = Json::array();
  for (const FleetModel& model : fleet.models) {
    Json rows = Json::array();
    for (const FleetRow& row : model.rows) rows.push_back(row_json(row));
    all.push_back({{"model", model.name},
                   {"board", model.board},
                   {"gpus", model.gpus.size()},
                   {"compared", model.tests},
                   {"rows", std::move(rows)}});
  }
  return all;
}

Json outliers_json(const Fleet& fleet) {
  Json all = Json::array();
  for (const FleetOutlier& one : fleet.outliers) {
    const FleetGpu& gpu = fleet.gpus[one.gpu];
    const FleetRow& row = fleet.models[gpu.model].rows[one.row];
    all.push_back({{"gpu", gpu.label},
                   {"uuid", gpu.device.uuid},
                   {"id", row.id},
                   {"estimate", row.estimate},
                   {"unit", row.unit},
                   {"value", one.value},
                   {"median", row.median},
                   {"deviation", one.share},
                   {"z", one.z ? Json(*one.z) : Json()}});
  }
  return all;
}

Json parts_json(const Fleet& fleet) {
  Json all = Json::array();
  for (const PartOutlier& one : fleet.parts)
    all.push_back({{"gpu", fleet.gpus[one.gpu].label},
                   {"part", one.part},
                   {"index", one.index},
                   {"probe", one.probe},
                   {"value", one.value},
                   {"median", one.median},
                   {"z", one.z}});
  return all;
}

Json nodes_json(const Fleet& fleet) {
  Json all = Json::array();
  for (const NodeOutlier& one : fleet.nodes) {
    const FleetRow& row = fleet.models[one.model].rows[one.row];
    all.push_back({{"host", one.host},
                   {"model", fleet.models[one.model].name},
                   {"gpus", one.gpus},
                   {"id", row.id},
                   {"estimate", row.estimate},
                   {"unit", row.unit},
                   {"value", one.value},
                   {"median", row.median},
                   {"deviation", one.share},
                   {"z", one.z}});
  }
  return all;
}

Json gate_json(const Fleet& fleet, const GateResult& gate) {
  Json all = Json::array();
  for (const GateFailure& one : gate.failures) {
    Json json = {{"gpu", fleet.gpus[one.gpu].label},
                 {"uuid", fleet.gpus[one.gpu].device.uuid},
                 {"id", one.id},
                 {"estimate", one.estimate},
                 {"unit", one.unit}};
    if (one.text.empty()) {
      json.update({{"value", one.value}, {"baseline", one.expected}, {"allowed", one.allowed}});
    } else {
      json["why"] = one.text;
    }
    all.push_back(std::move(json));
  }
  return {{"compared", gate.compared}, {"passed", passes(fleet, gate)}, {"failures", std::move(all)}};
}

}  // namespace

std::string fleet_json(const Fleet& fleet, const GateResult* gate) {
  Json gpus = Json::array(), failures = Json::array();
  for (const FleetGpu& gpu : fleet.gpus) gpus.push_back(gpu_json(fleet, gpu));
  for (const FleetFailure& one : fleet.failures) failures.push_back({{"path", one.path}, {"text", one.text}});
  Json json = {{"records", fleet.records},   {"even", fleet.even()},         {"false_alarm", false_alarm},
               {"gpus", std::move(gpus)},    {"models", models_json(fleet)}, {"outliers", outliers_json(fleet)},
               {"nodes", nodes_json(fleet)}, {"parts", parts_json(fleet)},   {"failures", std::move(failures)}};
  if (gate != nullptr) json["gate"] = gate_json(fleet, *gate);
  return pretty(json);
}

}  // namespace warpclock
