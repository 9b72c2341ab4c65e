"""Writes ec2.json: regions, zones, accelerator types and where they are offered.

Source: moto 5.2.1, ec2/resources (captures of DescribeInstanceTypes and
DescribeInstanceTypeOfferings) and its table of zones; element names come from
botocore's EC2 model. Run it with both installed: python3 extract.py
"""

import gzip
import json
import pathlib

import botocore.session
import moto
from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend as Zones

PLAIN = [
    "c5.xlarge", "c5.9xlarge", "c6i.large", "m5.large", "m5.xlarge", "m6g.large",
    "m7i.2xlarge", "r5.large", "r6i.xlarge", "t3.micro", "t3.large", "x2idn.16xlarge",
]
# One product per resource object keeps the file small; what no reservation
# depends on is left out.
LEFT_OUT = {"ConnectionTrackingConfiguration", "PhcSupport", "RebootMigrationSupport",
            "SecondaryNetworkSupported", "FlexibleEnaQueuesSupport", "Ipv4AddressesPerSecondaryInterface",
            "AttachmentLimitType", "DefaultEnaQueueCountPerInterface"}


def resource(*parts):
    path = pathlib.Path(moto.__file__).parent / "ec2" / "resources" / pathlib.Path(*parts)
    return json.loads(gzip.decompress(path.read_bytes()))


def wire(shape, value):
    """Renames members to their elements; lists stay lists of items."""
    if shape.type_name == "structure":
        out = {}
        for name, member in shape.members.items():
            if name in value and name not in LEFT_OUT:
                out[member.serialization.get("name", name)] = wire(member, value[name])
        return out
    if shape.type_name == "list":
        return [wire(shape.member, v) for v in value]
    return value


def accelerated(info):
    return any(k in info for k in ("GpuInfo", "NeuronInfo", "InferenceAcceleratorInfo"))


def main():
    model = botocore.session.get_session().get_service_model("ec2")
    shape = model.shape_for("InstanceTypeInfo")
    raw = resource("instance_types.json.gz")
    wanted = sorted(t for t, info in raw.items() if accelerated(info) or t in PLAIN)
    missing = [t for t in PLAIN if t not in raw]
    assert not missing, missing

    # moto calls three regions enabled by default that came after 2019 and are not.
    late = {"af-south-1", "ap-southeast-3", "eu-south-1"}
    opt_in = {r.name: "not-opted-in" if r.name in late else r.opt_in_status for r in Zones.regions}
    regions, offerings = {}, {}
    folder = pathlib.Path(moto.__file__).parent / "ec2/resources/instance_type_offerings/availability-zone"
    for file in sorted(folder.glob("*.json.gz")):
        region = file.name.removesuffix(".json.gz")
        offers = resource("instance_type_offerings", "availability-zone", file.name)
        ids = {z.name: z.zone_id for z in Zones.zones.get(region, []) if z.zone_type == "availability-zone"}
        named = sorted({o["Location"] for o in offers})
        unknown = [z for z in named if z not in ids]
        if unknown:
            print("zones without an id, left out:", region, unknown)
        zones = {z: ids[z] for z in sorted(ids) if z in named}
        if not zones:
            continue
        regions[region] = {"opt_in": opt_in[region], "zones": zones}
        table = {}
        for o in offers:
            if o["InstanceType"] in wanted and o["Location"] in zones:
                table.setdefault(o["InstanceType"], []).append(o["Location"][len(region):])
        offerings[region] = {t: "".join(sorted(z)) for t, z in sorted(table.items())}

    lines = ['{"source": "moto 5.2.1 ec2/resources, captures of Describe output; see extract.py",', '"regions": {']
    lines.append(",\n".join(f"{json.dumps(r)}: {json.dumps(v)}" for r, v in regions.items()) + "},")
    lines.append('"offerings": {')
    lines.append(",\n".join(f"{json.dumps(r)}: {json.dumps(v)}" for r, v in offerings.items()) + "},")
    lines.append('"types": {')
    compact = lambda t: json.dumps(wire(shape, raw[t]), separators=(",", ":"))
    lines.append(",\n".join(f"{json.dumps(t)}: {compact(t)}" for t in wanted) + "}}")
    pathlib.Path(__file__).with_name("ec2.json").write_text("\n".join(lines) + "\n")


main()
