"""Drives a simulator with botocore and holds each answer to its own model.

Usage: botocore_check.py URL ID START, where ID is the only reservation and two
instances run in it, i-1 runs on the only host, and START is a good start of a
future-dated reservation; payments are made at once. Prints one line per
problem, exits 1 if any.
An element that the model does not know, a value that is not of the member's
type or not in its enum, a required member that is missing, and a refusal with
another code than expected are problems.
"""

import json
import re
import sys
import xml.etree.ElementTree as ET

import botocore.session
from botocore.config import Config
from botocore.exceptions import ClientError

URL = sys.argv[1]
problems = []
seen = set()


# Newer than the model here; the Go SDK knows them.
NEWER = {"originalStartDate", "commitmentDuration"}


def problem(path, text):
    problems.append(f"{path}: {text}")


def local(tag):
    return tag.rsplit("}", 1)[-1]


SCALARS = {
    "integer": r"-?\d+", "long": r"-?\d+", "double": r"-?\d+(\.\d+)?([eE]-?\d+)?", "float": r"-?\d+(\.\d+)?",
    "boolean": r"true|false", "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z",
}


def scalar(shape, text, path):
    pattern = SCALARS.get(shape.type_name)
    if pattern and not re.fullmatch(pattern, text):
        problem(path, f"{text!r} is no {shape.type_name}")
    if getattr(shape, "enum", None) and text not in shape.enum:
        problem(path, f"{text!r} is not in the enum")


def structure_xml(shape, node, path, ignored=()):
    names = {m.serialization.get("name", name): (name, m) for name, m in shape.members.items()}
    found = set()
    for child in node:
        tag = local(child.tag)
        if tag in ignored or tag in NEWER:
            continue
        if tag not in names:
            problem(path, f"unknown element {tag}")
            continue
        name, member = names[tag]
        if name in found:
            problem(path, f"element {tag} comes twice")
        found.add(name)
        check_xml(member, child, f"{path}.{tag}")
    for name in shape.required_members:
        if name not in found:
            problem(path, f"required member {name} is missing")


def check_xml(shape, node, path):
    if shape.type_name == "structure":
        structure_xml(shape, node, path)
    elif shape.type_name == "list":
        want = shape.member.serialization.get("name", "member")
        for i, child in enumerate(node):
            if local(child.tag) != want:
                problem(path, f"list entry {local(child.tag)}, not {want}")
            check_xml(shape.member, child, f"{path}[{i}]")
    else:
        scalar(shape, node.text or "", path)


def check_json(shape, value, path):
    if shape.type_name == "structure":
        for key, entry in value.items():
            if key not in shape.members:
                problem(path, f"unknown member {key}")
                continue
            check_json(shape.members[key], entry, f"{path}.{key}")
        for name in shape.required_members:
            if name not in value:
                problem(path, f"required member {name} is missing")
    elif shape.type_name == "list":
        for i, entry in enumerate(value):
            check_json(shape.member, entry, f"{path}[{i}]")
    else:
        scalar(shape, json.dumps(value) if not isinstance(value, str) else value, path)


def answered(http_response, model, **_):
    """Called with each answer that came."""
    seen.add(model.name)
    if http_response.status_code >= 300:
        return
    shape, content = model.output_shape, http_response.content
    if model.service_model.metadata["protocol"] == "json":
        check_json(shape, json.loads(content), model.name)
        return
    root = ET.fromstring(content)
    if local(root.tag) != model.name + "Response":
        problem(model.name, f"root is {root.tag}")
    if shape is None:
        return
    wrapper = shape.serialization.get("resultWrapper")
    if wrapper:
        node = next((c for c in root if local(c.tag) == wrapper), None)
        if node is None:
            problem(model.name, f"no {wrapper}")
            return
        structure_xml(shape, node, model.name)
        return
    structure_xml(shape, root, model.name, ignored=("requestId", "return") if "Return" not in shape.members else ("requestId",))


def client(session, service):
    made = session.create_client(
        service, region_name="us-east-1", endpoint_url=URL, aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="secret",
        config=Config(retries={"mode": "standard", "max_attempts": 1}))
    made.meta.events.register("after-call", answered)
    return made


def refused(code, call, **kwargs):
    try:
        call(**kwargs)
    except ClientError as e:
        if e.response["Error"]["Code"] != code:
            problem(code, f"got {e.response['Error']}")
        if not e.response["ResponseMetadata"].get("RequestId"):
            problem(code, "no request id")
        return
    problem(code, "was not refused")


def reservations(ec2):
    made = ec2.create_capacity_reservation(
        InstanceType="p4d.24xlarge", InstancePlatform="Linux/UNIX", InstanceCount=3, AvailabilityZone="us-east-1a",
        EndDateType="limited", EndDate="2031-01-01T00:00:00.123456Z", InstanceMatchCriteria="targeted", ClientToken="t",
        TagSpecifications=[{"ResourceType": "capacity-reservation", "Tags": [{"Key": "k", "Value": "<v>"}]}],
    )["CapacityReservation"]
    id = made["CapacityReservationId"]
    if made["EndDate"].microsecond != 123000 or made["Tags"] != [{"Key": "k", "Value": "<v>"}] or made["State"] != "active":
        problem("create", made)
    ec2.modify_capacity_reservation(CapacityReservationId=id, InstanceCount=5, EndDateType="unlimited")
    ec2.create_tags(Resources=[id], Tags=[{"Key": "a", "Value": ""}])
    ec2.delete_tags(Resources=[id], Tags=[{"Key": "k"}])
    got = ec2.describe_capacity_reservations(CapacityReservationIds=[id])["CapacityReservations"][0]
    if got["TotalInstanceCount"] != 5 or "EndDate" in got or got["Tags"] != [{"Key": "a", "Value": ""}]:
        problem("describe", got)
    for _ in range(6):
        ec2.create_capacity_reservation(
            InstanceType="g5.xlarge", InstancePlatform="Windows", InstanceCount=1, AvailabilityZoneId="use1-az6")
    pages = ec2.get_paginator("describe_capacity_reservations").paginate(PaginationConfig={"PageSize": 3})
    if sum(len(p["CapacityReservations"]) for p in pages) != 8:
        problem("paginate", "not all came")
    ec2.get_capacity_reservation_usage(CapacityReservationId=id)
    ec2.describe_tags(Filters=[{"Name": "resource-id", "Values": [id]}])
    ec2.describe_instances(Filters=[{"Name": "capacity-reservation-id", "Values": [id]}])
    ec2.cancel_capacity_reservation(CapacityReservationId=id)
    refused("IncorrectState", ec2.cancel_capacity_reservation, CapacityReservationId=id)
    refused("DryRunOperation", ec2.describe_regions, DryRun=True)
    refused("InvalidCapacityReservationId.NotFound", ec2.describe_capacity_reservations,
            CapacityReservationIds=["cr-0123456789abcdef0"])


def blocks(ec2):
    query = {"InstanceType": "p5.48xlarge", "InstanceCount": 1, "CapacityDurationHours": 24}
    offers = ec2.describe_capacity_block_offerings(**query)["CapacityBlockOfferings"]
    if len(offers) != 6 or not all(o["UpfrontFee"].isdigit() for o in offers):
        problem("offerings", offers)
    offer = offers[0]["CapacityBlockOfferingId"]
    buy = {"CapacityBlockOfferingId": offer, "InstancePlatform": "Linux/UNIX", "TagSpecifications": [
        {"ResourceType": "capacity-reservation", "Tags": [{"Key": "k", "Value": "v"}]}]}
    refused("DryRunOperation", ec2.purchase_capacity_block, DryRun=True, **buy)
    bought = ec2.purchase_capacity_block(**buy)
    id, block = bought["CapacityReservation"]["CapacityReservationId"], bought["CapacityBlocks"][0]["CapacityBlockId"]
    seen = ec2.describe_capacity_blocks(CapacityBlockIds=[block])["CapacityBlocks"]
    if [b["State"] for b in seen] != ["scheduled"]:
        problem("blocks", seen)
    ec2.describe_capacity_reservations(CapacityReservationIds=[id])
    ec2.describe_capacity_block_status(CapacityBlockIds=[block])
    extension = ec2.describe_capacity_block_extension_offerings(
        CapacityReservationId=id, CapacityBlockExtensionDurationHours=24)["CapacityBlockExtensionOfferings"][0]
    ec2.purchase_capacity_block_extension(
        CapacityReservationId=id, CapacityBlockExtensionOfferingId=extension["CapacityBlockExtensionOfferingId"])
    history = ec2.describe_capacity_block_extension_history(CapacityReservationIds=[id])["CapacityBlockExtensions"]
    if [e["UpfrontFee"] for e in history] != [extension["UpfrontFee"]]:
        problem("history", history)
    refused("UnsupportedOperation", ec2.cancel_capacity_reservation, CapacityReservationId=id)
    refused("InvalidCapacityBlockOfferingIdNotFound", ec2.purchase_capacity_block,
            CapacityBlockOfferingId="cb-0123456789abcdef0", InstancePlatform="Linux/UNIX")


def future(ec2):
    made = ec2.create_capacity_reservation(
        InstanceType="g5.xlarge", InstancePlatform="Linux/UNIX", InstanceCount=8, AvailabilityZone="us-east-1a",
        InstanceMatchCriteria="targeted", StartDate=sys.argv[3], CommitmentDuration=1209600, DeliveryPreference="incremental",
    )["CapacityReservation"]
    if made["State"] != "assessing" or made["CommitmentInfo"]["CommittedInstanceCount"] != 8:
        problem("future", made)
    ec2.describe_capacity_reservations(CapacityReservationIds=[made["CapacityReservationId"]])


def used(ec2, id):
    """The simulator was told that two instances run in this one."""
    got = ec2.describe_instances(Filters=[{"Name": "capacity-reservation-id", "Values": [id]}])["Reservations"]
    if [i["CapacityReservationId"] for r in got for i in r["Instances"]] != [id, id]:
        problem("describe_instances", got)
    ec2.describe_capacity_reservations(CapacityReservationIds=[id])
    ec2.get_capacity_reservation_usage(CapacityReservationId=id)


def hosts(ec2):
    made = ec2.allocate_hosts(
        InstanceType="p4d.24xlarge", Quantity=6, AvailabilityZone="us-east-1a", AutoPlacement="on", HostRecovery="off",
        HostMaintenance="on", ClientToken="t",
        TagSpecifications=[{"ResourceType": "dedicated-host", "Tags": [{"Key": "k", "Value": "<v>"}]}])["HostIds"]
    id = made[0]
    ec2.allocate_hosts(InstanceFamily="m5", Quantity=1, AvailabilityZoneId="use1-az6")
    got = ec2.describe_hosts(HostIds=[id])["Hosts"][0]
    if got["State"] != "available" or got["Tags"] != [{"Key": "k", "Value": "<v>"}] or got["HostProperties"]["TotalVCpus"] != 96:
        problem("describe_hosts", got)
    pages = ec2.get_paginator("describe_hosts").paginate(PaginationConfig={"PageSize": 5})
    if sum(len(p["Hosts"]) for p in pages) != 8:
        problem("paginate hosts", "not all came")
    changed = ec2.modify_hosts(HostIds=made, AutoPlacement="off", HostMaintenance="off")
    if changed["Successful"] != made or changed["Unsuccessful"]:
        problem("modify_hosts", changed)
    ec2.create_tags(Resources=[id], Tags=[{"Key": "a", "Value": "b"}])
    offers = ec2.describe_host_reservation_offerings(
        Filter=[{"Name": "instance-family", "Values": ["p4d"]}, {"Name": "payment-option", "Values": ["PartialUpfront"]}],
        MaxDuration=31536000)["OfferingSet"]
    term(ec2, offers[0], id)
    released = ec2.release_hosts(HostIds=made)
    if released["Successful"] != made[1:] or [u["Error"]["Code"] for u in released["Unsuccessful"]] != ["Client.OperationNotPermitted"]:
        problem("release_hosts", released)
    ec2.describe_hosts()
    refused("InvalidHostID.NotFound", ec2.describe_hosts, HostIds=["h-0123456789abcdef0"])


def term(ec2, offer, host):
    preview = ec2.get_host_reservation_purchase_preview(HostIdSet=[host], OfferingId=offer["OfferingId"])
    if preview["TotalUpfrontPrice"] != offer["UpfrontPrice"] or preview["TotalHourlyPrice"] != offer["HourlyPrice"]:
        problem("preview", preview)
    refused("LimitPriceExceeded", ec2.purchase_host_reservation,
            HostIdSet=[host], OfferingId=offer["OfferingId"], LimitPrice="1", CurrencyCode="USD")
    bought = ec2.purchase_host_reservation(
        HostIdSet=[host], OfferingId=offer["OfferingId"], LimitPrice=offer["UpfrontPrice"], CurrencyCode="USD", ClientToken="t",
        TagSpecifications=[{"ResourceType": "host-reservation", "Tags": [{"Key": "k", "Value": "v"}]}])["Purchase"][0]
    id = bought["HostReservationId"]
    got = ec2.describe_host_reservations(HostReservationIdSet=[id])["HostReservationSet"][0]
    if got["HostIdSet"] != [host] or got["Tags"] != [{"Key": "k", "Value": "v"}] or (got["End"] - got["Start"]).days != 365:
        problem("describe_host_reservations", got)


def used_host(ec2):
    """The scenario has a host with one instance."""
    got = ec2.describe_hosts()["Hosts"][0]
    if [i["InstanceId"] for i in got["Instances"]] != ["i-1"]:
        problem("describe_hosts", got)
    seen = ec2.describe_instances(Filters=[{"Name": "host-id", "Values": [got["HostId"]]}])["Reservations"][0]["Instances"][0]
    if seen["Placement"]["HostId"] != got["HostId"] or seen["Placement"]["Tenancy"] != "host":
        problem("describe_instances", seen)


def market(session, ec2):
    pages = ec2.get_paginator("describe_spot_price_history").paginate(
        InstanceTypes=["p4d.24xlarge", "g5.xlarge"], ProductDescriptions=["Linux/UNIX"], PaginationConfig={"PageSize": 100})
    if not all(p["SpotPriceHistory"] for p in pages):
        problem("describe_spot_price_history", "an empty page")
    for single in (True, False):
        ec2.get_spot_placement_scores(
            InstanceTypes=["p4d.24xlarge", "g5.xlarge", "g6.xlarge"], TargetCapacity=8, TargetCapacityUnitType="units",
            SingleAvailabilityZone=single, RegionNames=["us-east-1", "us-west-2"])
    pricing = client(session, "pricing")
    filters = [{"Type": "TERM_MATCH", "Field": f, "Value": v} for f, v in {
        "instanceType": "p4d.24xlarge", "regionCode": "us-east-1", "operatingSystem": "Linux", "preInstalledSw": "NA",
        "tenancy": "Shared", "capacitystatus": "Used"}.items()]
    listed = pricing.get_products(ServiceCode="AmazonEC2", Filters=filters, FormatVersion="aws_v1")["PriceList"]
    if len(listed) != 1 or json.loads(listed[0])["product"]["attributes"]["instanceType"] != "p4d.24xlarge":
        problem("get_products", listed)
    pricing.describe_services(ServiceCode="AmazonEC2")
    pricing.get_attribute_values(ServiceCode="AmazonEC2", AttributeName="tenancy")
    refused("InvalidParameterException", pricing.get_products, ServiceCode="none")


def main():
    session = botocore.session.Session(profile=None)
    ec2 = client(session, "ec2")
    used(ec2, sys.argv[2])
    ec2.cancel_capacity_reservation(CapacityReservationId=sys.argv[2])
    refused("IncorrectState", ec2.cancel_capacity_reservation, CapacityReservationId=sys.argv[2])
    before = ec2.describe_capacity_reservations()["CapacityReservations"]
    if [r["State"] for r in before] != ["cancelled"]:
        problem("describe", before)
    for page in ec2.get_paginator("describe_instance_types").paginate():
        if not page["InstanceTypes"]:
            problem("describe_instance_types", "an empty page")
    for kind in ("region", "availability-zone", "availability-zone-id"):
        ec2.describe_instance_type_offerings(LocationType=kind)
    ec2.describe_availability_zones()
    ec2.describe_regions()
    sts = client(session, "sts")
    sts.get_caller_identity()
    sts.assume_role(RoleArn="arn:aws:iam::444455556666:role/r", RoleSessionName="check", ExternalId="e1")
    sts.assume_role_with_web_identity(RoleArn="arn:aws:iam::444455556666:role/r", RoleSessionName="check", WebIdentityToken="a.b.c")
    refused("ValidationError", sts.assume_role, RoleArn="arn:aws:iam::1:role/rolename", RoleSessionName="check")
    quotas = client(session, "service-quotas")
    quotas.get_service_quota(ServiceCode="ec2", QuotaCode="L-417A185B")
    quotas.get_aws_default_service_quota(ServiceCode="ec2", QuotaCode="L-DB2E81BA")
    quotas.list_service_quotas(ServiceCode="ec2")
    refused("NoSuchResourceException", quotas.get_service_quota, ServiceCode="ec2", QuotaCode="L-00000000")
    reservations(ec2)
    used_host(ec2)
    hosts(ec2)
    market(session, ec2)
    blocks(ec2)
    future(ec2)
    for text in problems:
        print(text)
    print("checked:", " ".join(sorted(seen)))
    sys.exit(1 if problems else 0)


main()
