print("flowbench")
