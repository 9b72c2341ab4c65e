"""Validate recorded requests against botocore's models of the inputs.

Reads a JSON list of {"service", "action", "form" | "json"} from standard input
and prints one line for each fault. Exit status: 0 no fault, 1 faults, 77 no
botocore.
"""

import datetime
import json
import sys

try:
    import botocore
    import botocore.loaders
    import botocore.model
    import botocore.validate
except ImportError as missing:
    print(f"botocore is not installed: {missing}")
    sys.exit(77)

MODELS = {}


def model(service):
    if service not in MODELS:
        loader = botocore.loaders.Loader()
        MODELS[service] = botocore.model.ServiceModel(loader.load_service_model(service, "service-2"), service)
    return MODELS[service]


class Form:
    """A form read along an input shape; what no member asks for is left over."""

    def __init__(self, protocol, form):
        self.protocol = protocol
        self.left = dict(form)
        self.faults = []

    def name(self, member, shape):
        if self.protocol != "ec2":
            return shape.serialization.get("name", member)
        if "queryName" in shape.serialization:
            return shape.serialization["queryName"]
        name = shape.serialization.get("name", member)
        return name[0].upper() + name[1:]

    def present(self, prefix):
        return any(key == prefix or key.startswith(prefix + ".") for key in self.left)

    def read(self, prefix, shape):
        if shape.type_name == "structure":
            return self.structure(prefix, shape)
        if shape.type_name == "list":
            return self.list(prefix, shape)
        return self.scalar(prefix, shape)

    def structure(self, prefix, shape):
        value = {}
        for member, inner in shape.members.items():
            name = self.name(member, inner)
            path = f"{prefix}.{name}" if prefix else name
            if self.present(path):
                value[member] = self.read(path, inner)
        return value

    def list(self, prefix, shape):
        if self.protocol == "query" and not shape.serialization.get("flattened"):
            prefix += ".member"
        values = []
        while self.present(f"{prefix}.{len(values) + 1}"):
            values.append(self.read(f"{prefix}.{len(values) + 1}", shape.member))
        return values

    def scalar(self, path, shape):
        text = self.left.pop(path, None)
        if text is None:
            self.faults.append(f"{path} has parts, but its type is {shape.type_name}")
            return None
        try:
            return self.convert(path, text, shape)
        except ValueError:
            self.faults.append(f"{path} = {text!r} is no {shape.type_name}")
            return None

    def convert(self, path, text, shape):
        if shape.type_name in ("integer", "long"):
            return int(text)
        if shape.type_name in ("float", "double"):
            return float(text)
        if shape.type_name == "boolean":
            if text not in ("true", "false"):
                raise ValueError(text)
            return text == "true"
        if shape.type_name == "timestamp":
            return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
        if getattr(shape, "enum", None) and text not in shape.enum:
            self.faults.append(f"{path} = {text!r} is not one of {shape.enum}")
        return text


def check(request):
    service = model(request["service"])
    shape = service.operation_model(request["action"]).input_shape
    faults = []
    if "json" in request:
        params = request["json"]
        faults += [f"unknown member {name}" for name in params if name not in shape.members]
    else:
        form = Form(service.metadata["protocol"], request["form"])
        version = form.left.pop("Version", None)
        form.left.pop("Action", None)
        if version != service.metadata["apiVersion"]:
            faults.append(f"version {version}, want {service.metadata['apiVersion']}")
        params = form.read("", shape) if shape is not None else {}
        faults += form.faults + [f"unknown parameter {name}" for name in form.left]
    if shape is not None:
        report = botocore.validate.ParamValidator().validate(params, shape)
        if report.has_errors():
            faults.append(report.generate_report())
    return faults


def main():
    wrong = 0
    for request in json.load(sys.stdin):
        for fault in check(request):
            wrong += 1
            print(f"{request['service']} {request['action']}: {fault}")
    sys.exit(1 if wrong else 0)


main()
